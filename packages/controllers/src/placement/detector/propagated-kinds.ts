import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Clock } from '@perigee/kube/clock/clock';
import type { SourceContext } from '@perigee/kube/controller/source';
import { UnknownKindError } from '@perigee/kube/errors';
import type { Informer } from '@perigee/kube/informer/informer';
import type { InformerSet } from '@perigee/kube/informer/informer-set';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { propagatedBy } from '@perigee/scheduling/placement/policy/propagated-by';

const BY_POLICY = 'policy';
const RETRY_MS = 5000;

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** Shared: several sources may need the same kind, and an informer has only one index of a name. */
const byPolicy = ({ metadata }: Template): readonly string[] => {
  const policy = propagatedBy(metadata);
  return policy === undefined ? [] : [policy.id];
};

type Reports = Pick<SourceContext, 'failed' | 'settled'>;

interface Kinded {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Objects that name kinds, such as the selectors of a policy. */
export interface KindNames<T extends KubeObject = KubeObject> {
  readonly in: ResourceKind<T>;
  readonly of: (object: T) => readonly Kinded[];
}

/**
 * The objects of the kinds that policies name, and of no others. A kind that is not served yet is looked
 * for again.
 */
export class PropagatedKinds implements Disposable {
  readonly #informers: InformerSet;
  readonly #reports: Reports;
  readonly #clock: Clock;
  readonly #mapper: RestMapper;
  readonly #onTemplate: (template: Template) => void;
  readonly #informersByKind = new Map<string, Informer<Template> | undefined>();
  readonly #stack = new DisposableStack();

  constructor(
    client: Client,
    clock: Clock,
    { informers, failed, settled }: Pick<SourceContext, 'informers'> & Reports,
    names: readonly KindNames<never>[],
    onTemplate: (template: Template) => void,
  ) {
    this.#informers = informers;
    this.#reports = { failed, settled };
    this.#clock = clock;
    this.#mapper = new RestMapper(client);
    this.#onTemplate = onTemplate;
    for (const one of names) this.#follow(one as never as KindNames);
  }

  of(apiVersion: string, kind: string): Informer<Template> | undefined {
    return this.#informersByKind.get(keyOf(apiVersion, kind));
  }

  /** Everything that a policy propagates, of all kinds. */
  *ofPolicy(policyId: string): Generator<Template> {
    for (const informer of this.#informersByKind.values()) {
      if (informer !== undefined) yield* informer.byIndex(BY_POLICY, policyId);
    }
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }

  #follow({ in: kind, of }: KindNames): void {
    const look = (object: KubeObject): void => {
      for (const { apiVersion, kind: name } of of(object)) this.#want(apiVersion, name);
    };
    this.#stack.use(this.#informers.for(kind).addHandler({ onAdd: look, onUpdate: look }));
  }

  #want(apiVersion: string, kind: string): void {
    const key = keyOf(apiVersion, kind);
    if (this.#informersByKind.has(key)) return;
    this.#informersByKind.set(key, undefined);
    void this.#open(apiVersion, kind);
  }

  async #open(apiVersion: string, kind: string): Promise<void> {
    if (this.#stack.disposed) return;
    try {
      const resource = await this.#mapper.byKind(apiVersion, kind);
      if (this.#stack.disposed) return;
      const informer = this.#informers.for(resource as ResourceKind<Template>);
      informer.addIndexer(BY_POLICY, byPolicy);
      this.#informersByKind.set(keyOf(apiVersion, kind), informer);
      this.#stack.use(
        informer.addHandler({
          onAdd: this.#onTemplate,
          onUpdate: this.#onTemplate,
          onDelete: this.#onTemplate,
        }),
      );
      this.#reports.settled(keyOf(apiVersion, kind));
    } catch (error) {
      if (this.#stack.disposed) return;
      this.#reports.failed(keyOf(apiVersion, kind), error);
      const delay = error instanceof UnknownKindError ? RETRY_MS : RETRY_MS / 5;
      this.#stack.use(this.#clock.timer(delay, () => void this.#open(apiVersion, kind)));
    }
  }
}
