import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Source, SourceContext } from '@perigee/kube/controller/source';
import { readDependencies } from '@perigee/scheduling/placement/binding/dependencies';
import { type KindNames, PropagatedKinds } from '../detector/propagated-kinds.ts';
import { refOfTemplate, type TemplateKey } from '../detector/template-key.ts';

/**
 * The objects that a binding's workload depends on and names. Only those of its own namespace: a tenant
 * must not copy the objects of others.
 */
export const dependencyKeys = ({ metadata }: ResourceBinding): readonly TemplateKey[] =>
  readDependencies(metadata.annotations).flatMap(({ apiVersion, kind, namespace, name }) =>
    name === undefined || namespace === undefined || namespace !== metadata.namespace
      ? []
      : [{ apiVersion, kind, namespace, name }],
  );

/** True if dependencies are propagated along with a workload. */
const takesAlong = ({ spec }: ResourceBinding): boolean => spec.propagateDeps === true;

const NAMES: readonly KindNames<never>[] = [{ in: ResourceBinding, of: dependencyKeys }] as never;

/** Enqueues dependencies when they are created or deleted, and when workloads begin or cease to need them. */
export class DependencySource implements Source {
  readonly kinds: readonly ResourceKind[] = [ResourceBinding];
  readonly #client: Client;
  readonly #clock: Clock;
  #objects: PropagatedKinds | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The objects of all kinds that a workload depends on; none before the start. */
  get objects(): PropagatedKinds | undefined {
    return this.#objects;
  }

  start(context: SourceContext): Disposable {
    const { informers, enqueue } = context;
    const stack = new DisposableStack();
    const recheck = ({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): void => {
      if (namespace !== undefined) enqueue(refOfTemplate({ apiVersion, kind, namespace, name }));
    };
    this.#objects = stack.use(
      new PropagatedKinds(this.#client, this.#clock, context, NAMES, recheck),
    );
    const recheckBinding = (binding: ResourceBinding): void => {
      for (const key of dependencyKeys(binding)) enqueue(refOfTemplate(key));
      if (binding.spec.requiredBy !== undefined) enqueue(refOfTemplate(binding.spec.resource));
    };
    stack.use(
      informers.for(ResourceBinding).addHandler({
        onAdd: (binding, { initial }) => {
          recheckBinding(binding);
          if (!initial && takesAlong(binding)) recheck(binding);
        },
        onUpdate: (now, before) => {
          recheckBinding(before);
          recheckBinding(now);
          const isNew = now.metadata.generation !== before.metadata.generation;
          if (isNew && takesAlong(now)) recheck(now);
        },
        onDelete: recheckBinding,
      }),
    );
    return stack;
  }
}
