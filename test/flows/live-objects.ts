import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';

const keyOf = (kind: string, name: string): string => `${kind}/${name}`;

/** Objects of a server as its watches tell of them, until the server is gone. */
export class LiveObjects implements AsyncDisposable {
  readonly #objects = new Map<string, KubeObject>();
  readonly #stopped = new AbortController();
  readonly #watches: Promise<void>[] = [];
  /** Called at each news, with the object. */
  readonly #onNews: (object: KubeObject) => void;

  constructor(onNews: (object: KubeObject) => void) {
    this.#onNews = onNews;
  }

  watch(client: Client, kinds: readonly ResourceKind[]): void {
    for (const kind of kinds) {
      // It ends with the server, which is killed.
      this.#watches.push(this.#follow(client, kind).catch(() => {}));
    }
  }

  async #follow(client: Client, kind: ResourceKind): Promise<void> {
    const { signal } = this.#stopped;
    for await (const { type, object } of client.watch(kind, { sendInitialEvents: true, signal })) {
      if (type === 'BOOKMARK') continue;
      const current = object as KubeObject;
      const key = keyOf(kind.kind, current.metadata.name);
      if (type === 'DELETED') this.#objects.delete(key);
      else this.#objects.set(key, current);
      this.#onNews(current);
    }
  }

  /** Resolves when the server is gone. */
  async ended(): Promise<void> {
    await Promise.all(this.#watches);
  }

  get(kind: string, name: string): KubeObject | undefined {
    return this.#objects.get(keyOf(kind, name));
  }

  /** Those whose names begin alike. */
  startingWith(kind: string, start: string): readonly KubeObject[] {
    return [...this.#objects]
      .filter(([key]) => key.startsWith(keyOf(kind, start)))
      .map(([, object]) => object);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.ended();
  }
}
