import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { WatchEvent } from '../../src/client/client.ts';
import type { MemoryObject } from './memory-cluster-write.ts';

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export type MemoryWatchEvent = WatchEvent<MemoryObject>;

/** One open watch: what the server has sent and the reader has not taken yet. */
export class MemoryWatch implements Disposable {
  readonly kind: ResourceKind;
  readonly #onClose: () => void;
  #queue: MemoryWatchEvent[] = [];
  #reader: PromiseWithResolvers<MemoryWatchEvent | undefined> | undefined;
  readonly #sent: MemoryWatchEvent[] = [];
  #stalled = false;
  #closed: { readonly error?: unknown } | undefined;

  constructor(kind: ResourceKind, onClose: () => void) {
    this.kind = kind;
    this.#onClose = onClose;
  }

  push(event: MemoryWatchEvent): void {
    if (this.#closed) return;
    this.#sent.push(event);
    this.#queue.push(event);
    this.#feedReader();
  }

  bookmark(revision: number, annotations?: { readonly [key: string]: string }): void {
    const object = {
      apiVersion: apiVersionOf(this.kind),
      kind: this.kind.kind,
      metadata: {
        name: '',
        uid: '',
        creationTimestamp: '',
        resourceVersion: String(revision),
        ...(annotations ? { annotations } : {}),
      },
    };
    this.push({ type: 'BOOKMARK', object });
  }

  /** Sends an event once more, as a confused server may: the latest, or the one so many before it. */
  repeat(before = 0): void {
    const event = this.#sent.at(-1 - before);
    if (event) this.push(event);
  }

  /** From now on the connection seems open and stays silent. */
  stall(): void {
    this.#stalled = true;
  }

  /** The server ends the stream; what it sent before still arrives. */
  end(): void {
    if (!this.#closed) this.#close({});
  }

  /** The stream breaks; what was not read is lost. */
  fail(error: unknown): void {
    this.#queue = [];
    this.#stalled = false;
    this.#close({ error });
  }

  /** The next event; undefined when the stream has ended. */
  next(): Promise<MemoryWatchEvent | undefined> {
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#feedReader();
    return promise;
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #close(how: { readonly error?: unknown }): void {
    if (!this.#closed) this.#onClose();
    this.#closed = how;
    this.#feedReader();
  }

  #feedReader(): void {
    if (!this.#reader || this.#stalled) return;
    const event = this.#queue.shift();
    if (!event && !this.#closed) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (event) reader.resolve(event);
    else if (this.#closed && 'error' in this.#closed) reader.reject(this.#closed.error);
    else reader.resolve(undefined);
  }
}
