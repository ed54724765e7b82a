import type { Client, ObjectRef } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { Informer } from '@perigee/kube/informer/informer';
import { Secret } from '@perigee/kubernetes/core/secret';

export interface SecretInformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Called for every added, changed or deleted Secret of a watched namespace. */
  readonly onChange: (secret: Secret) => void;
}

/** Caches the Secrets of a few namespaces, each watched from its first use on. */
export class SecretInformers implements AsyncDisposable {
  readonly #options: SecretInformersOptions;
  readonly #informers = new Map<string, Informer<Secret>>();

  constructor(options: SecretInformersOptions) {
    this.#options = options;
  }

  /** The cached Secret; undefined before the cache has synced. */
  get(ref: ObjectRef): Secret | undefined {
    return this.#informerOf(ref.namespace ?? '').get(ref);
  }

  /** True once the Secrets of a namespace are cached: only then does a missing one not exist. */
  hasSynced(namespace: string): boolean {
    return this.#informerOf(namespace).hasSynced;
  }

  /** Resolves once they are cached; rejects when this is disposed before. */
  synced(namespace: string): Promise<void> {
    return this.#informerOf(namespace).synced;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#informers.values(), (informer) => informer.stop()));
  }

  #informerOf(namespace: string): Informer<Secret> {
    const presentInformer = this.#informers.get(namespace);
    if (presentInformer !== undefined) return presentInformer;
    const { client, clock, onChange } = this.#options;
    const informer = new Informer<Secret>({
      client,
      clock,
      kind: Secret,
      selection: { namespace },
    });
    this.#informers.set(namespace, informer);
    informer.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
    informer.start();
    return informer;
  }
}
