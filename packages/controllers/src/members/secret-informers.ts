import type { Client, ObjectRef } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { Informer } from '@perigee/kube/informer/informer';
import { Secret } from '@perigee/kubernetes/core/secret';

export interface SecretInformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Told of every Secret that comes, changes or goes in a namespace that was asked for. */
  readonly onChange: (secret: Secret) => void;
}

/** Secrets of a few namespaces: each is followed from the first question on, and no other. */
export class SecretInformers implements AsyncDisposable {
  readonly #options: SecretInformersOptions;
  readonly #informers = new Map<string, Informer<Secret>>();

  constructor(options: SecretInformersOptions) {
    this.#options = options;
  }

  /** The Secret as it was seen last; nothing before the first answer. */
  get(ref: ObjectRef): Secret | undefined {
    return this.#informerOf(ref.namespace ?? '').get(ref);
  }

  /** Whether the Secrets of a namespace are known: only then is one that was not seen none. */
  hasSynced(namespace: string): boolean {
    return this.#informerOf(namespace).hasSynced;
  }

  /** Resolves when they are; rejects when this ends before. */
  synced(namespace: string): Promise<void> {
    return this.#informerOf(namespace).synced;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#informers.values(), (informer) => informer.stop()));
  }

  #informerOf(namespace: string): Informer<Secret> {
    const known = this.#informers.get(namespace);
    if (known !== undefined) return known;
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
