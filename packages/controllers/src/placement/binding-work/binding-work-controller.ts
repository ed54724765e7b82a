import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Work } from '@perigee/api/kinds/placement/work';
import { addFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { yamlFormat } from '@perigee/kube/yaml/yaml-format';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { applyPolicies } from '@perigee/scheduling/placement/override/apply-policies';
import { changedIdentity } from '@perigee/scheduling/placement/override/keep-identity';
import type { DesiredWork } from '@perigee/scheduling/placement/work/desired-work';
import { renderWork } from '@perigee/scheduling/placement/work/render-work';
import { shareOut } from '@perigee/scheduling/placement/work/shares';
import {
  expectedClusters,
  presentTargets,
  purgedFirst,
  targetsOf,
} from '@perigee/scheduling/placement/work/targets';
import { BINDING_ID, CLUSTER_BINDING_ID } from '@perigee/scheduling/placement/work/work-names';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { PropagationError, RefusedWorkError } from '../../errors.ts';
import { KnownClusters } from '../scheduler/known-clusters.ts';
import { bindingIndexes, bindingOf, worksKey, worksOfBinding } from './binding-index.ts';
import { overrideIndexes, overrideSources, overridesFor } from './override-sources.ts';
import { type Template, Templates } from './read-template.ts';
import { outcomeOf, reportWorks } from './report-works.ts';
import { deleteWork, writeWork } from './write-work.ts';

export interface BindingWorkOptions {
  readonly interpreter: Interpreter;
  readonly concurrency?: number;
}

const PURGE_CHECK_MS = 5000;
/** Work that takes longer yields between clusters. */
const HEAVY_MS = 10;

const FINALIZERS = {
  Namespaced: 'karmada.io/binding-controller',
  Cluster: 'karmada.io/cluster-resource-binding-controller',
} as const;

const clusterOf = ({ metadata }: Work): string =>
  clusterOfExecutionNamespace(metadata.namespace ?? '') ?? '';

const idOf = ({ metadata: { labels = {} } }: Binding): string | undefined =>
  labels[BINDING_ID] ?? labels[CLUSTER_BINDING_ID];

const isBindingChange = (now: Binding | undefined, before: Binding | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
  idOf(now) !== idOf(before);

/** Interpreters and overrides must not turn the template into another object, or move it to another namespace. */
const refuseAnother = (binding: Binding, template: Template, object: JsonObject): void => {
  const { namespace } = binding.metadata;
  const difference =
    namespace === template.metadata.namespace
      ? changedIdentity(template, object)
      : `a binding of namespace ${namespace ?? 'none'} cannot send an object of namespace ${template.metadata.namespace ?? 'none'}`;
  if (difference !== undefined) throw new RefusedWorkError('IdentityChanged', difference);
};

/** True for deleted Works, and for changes of fields that this controller writes; status changes are ignored. */
const isWorkChange = (now: Work | undefined, before: Work | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  !sameJson(now.metadata.labels, before.metadata.labels) ||
  !sameJson(now.metadata.annotations, before.metadata.annotations);

class BindingWorks {
  readonly #kind: BindingKind;
  readonly #interpreter: Interpreter;
  readonly #templates = new Templates();
  readonly #clusters = new KnownClusters();

  constructor(kind: BindingKind, interpreter: Interpreter) {
    this.#kind = kind;
    this.#interpreter = interpreter;
  }

  async reconcile(ref: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const works = context.cache(Work).byIndex(...worksKey(ref));
    const binding = context.cache(this.#kind).get(ref);
    if (binding === undefined) return this.#cleanUp(ref, works, context);
    if (binding.metadata.deletionTimestamp !== undefined) return this.#end(binding, works, context);
    const expectedNames = expectedClusters(binding.spec);
    const orphans = works.filter((work) => !expectedNames.has(clusterOf(work)));
    await Promise.all(orphans.map((work) => deleteWork(work, context)));
    const first = purgedFirst(binding.spec);
    if (orphans.some((work) => first.has(clusterOf(work)))) {
      return { requeueAfterMs: PURGE_CHECK_MS };
    }
    return this.#send(binding, context);
  }

  /** Deletes Works that were written while their binding was being deleted. */
  async #cleanUp(
    ref: ObjectRef,
    works: readonly Work[],
    context: ReconcileContext,
  ): Promise<undefined> {
    if (works.length === 0) return;
    const { client, signal } = context;
    const binding = await getOrUndefined(client, this.#kind, ref, { signal });
    // If it exists, its cache event enqueues it.
    if (binding !== undefined) return;
    await Promise.all(works.map((work) => deleteWork(work, context)));
  }

  async #end(
    binding: Binding,
    works: readonly Work[],
    context: ReconcileContext,
  ): Promise<undefined> {
    await Promise.all(works.map((work) => deleteWork(work, context)));
    const { client, signal } = context;
    const nextFinalizers = removeFinalizer(
      binding.metadata.finalizers,
      FINALIZERS[this.#kind.scope],
    );
    await setFinalizers(client, this.#kind, binding, nextFinalizers, { signal });
  }

  async #send(binding: Binding, context: ReconcileContext): Promise<ReconcileResult> {
    const targets = targetsOf(binding.spec);
    if (targets.length === 0) return undefined;
    const source = await this.#templates.read(binding.spec.resource, context);
    if (source === undefined) return undefined;
    const { client, clock, signal } = context;
    const nextFinalizers = addFinalizer(binding.metadata.finalizers, FINALIZERS[this.#kind.scope]);
    await setFinalizers(client, this.#kind, binding, nextFinalizers, { signal });
    const { template } = source;
    // Patching a large document for each of a thousand clusters must not block the event loop.
    let isHeavy = false;
    const outcomes = await Promise.all(
      this.#worksFor(binding, template, context).map(({ cluster, render }) =>
        outcomeOf(cluster, async () => {
          if (isHeavy) await clock.yield();
          const startedAt = clock.monotonic();
          const work = render();
          isHeavy ||= clock.monotonic() - startedAt > HEAVY_MS;
          return writeWork(work, context, binding.metadata);
        }),
      ),
    );
    return reportWorks(this.#kind, binding, template, outcomes, context);
  }

  #worksFor(
    binding: Binding,
    template: Template,
    { cache }: ReconcileContext,
  ): readonly { readonly cluster: string; readonly render: () => DesiredWork }[] {
    const { spec } = binding;
    const targets = presentTargets(spec);
    const kindInterpreter = this.#interpreter.of(template.apiVersion, template.kind);
    const share = shareOut(template, spec, targets, kindInterpreter);
    const policies = overridesFor(cache, template);
    return targets.flatMap((target) => {
      const { name } = target;
      const cluster = cache(MemberCluster).get({ name });
      if (cluster?.metadata.deletionTimestamp !== undefined) return [];
      const render = (): DesiredWork => {
        if (cluster === undefined) throw new PropagationError(`there is no cluster ${name}`);
        const object = share(target) as Template;
        const facts = this.#clusters.factsOf(cluster);
        const overridden = applyPolicies(object, facts, policies, yamlFormat);
        refuseAnother(binding, template, overridden.object);
        return renderWork(binding, name, overridden);
      };
      return { cluster: name, render };
    });
  }
}

/** Writes the Works of bindings, one for each cluster. */
export const bindingWorkController = (
  kind: BindingKind,
  { interpreter, concurrency = 16 }: BindingWorkOptions,
): ControllerDefinition => {
  const works = new BindingWorks(kind, interpreter);
  return defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'binding' : 'cluster-binding',
    for: kind,
    concurrency,
    when: isBindingChange,
    watches: [
      watch(Work, {
        map: (work) => {
          const binding = bindingOf(work, kind);
          return binding === undefined ? [] : [binding];
        },
        when: isWorkChange,
      }),
      ...overrideSources(kind),
    ],
    indexes: [worksOfBinding, ...bindingIndexes(kind), ...overrideIndexes],
    reconcile: (ref, context) => works.reconcile(ref, context),
  });
};
