import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Labels } from '@perigee/api/values/label-requirement';
import type { Client } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Source, SourceContext } from '@perigee/kube/controller/source';
import { type KindNames, PropagatedKinds } from '../placement/detector/propagated-kinds.ts';
import { bindingsOf } from './claimed-bindings.ts';

const NAMES: readonly KindNames<never>[] = [
  { in: ResourceBinding, of: ({ spec }: ResourceBinding) => [spec.resource] },
] as never;

/** Caches the labels of workloads with bindings, and enqueues a binding when its workload changes. */
export class WorkLabels implements Source {
  readonly kinds: readonly ResourceKind[] = [ResourceBinding];
  readonly #client: Client;
  readonly #clock: Clock;
  #templates: PropagatedKinds | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Undefined while the workload is not cached, or after its deletion. */
  of({ apiVersion, kind, namespace, name }: BoundResource): Labels | undefined {
    const ref = namespace === undefined ? { name } : { namespace, name };
    const template = this.#templates?.of(apiVersion, kind)?.get(ref);
    return template && (template.metadata.labels ?? {});
  }

  start(context: SourceContext): Disposable {
    const { caches, enqueue } = context;
    this.#templates = new PropagatedKinds(
      this.#client,
      this.#clock,
      context,
      NAMES,
      ({ apiVersion, kind, metadata: { namespace = '', name } }) => {
        const bindings = bindingsOf(caches, namespace, { apiVersion, kind, name });
        for (const binding of bindings) enqueue(refOf(binding));
      },
    );
    return this.#templates;
  }
}
