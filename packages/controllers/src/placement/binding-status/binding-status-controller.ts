import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { delayedSource } from '@perigee/kube/controller/delayed-source';
import { Settling } from '@perigee/kube/controller/settling';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { objectKey } from '@perigee/kube/informer/object-key';
import { bindingTroubles } from '@perigee/scheduling/explain/binding-troubles';
import type { Finding } from '@perigee/scheduling/explain/finding';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { aggregateWorks, fullyApplied } from '@perigee/scheduling/placement/work/aggregate-works';
import { expectedClusters } from '@perigee/scheduling/placement/work/targets';
import { sameJson } from '@perigee/schema/same-json';
import { bindingOf, worksKey, worksOfBinding } from '../binding-work/binding-index.ts';
import { Templates } from '../binding-work/read-template.ts';
import { isReady } from '../execution/served-clusters.ts';
import { aggregateTemplate } from './aggregate-template.ts';

export interface BindingStatusOptions {
  readonly interpreter: Interpreter;
  readonly concurrency?: number;
}

/** The event sources of Karmada's controllers, on which its users filter. */
const COMPONENTS = {
  Namespaced: 'resource-binding-status-controller',
  Cluster: 'cluster-resource-binding-status-controller',
} as const;
const SUBJECTS = { Namespaced: 'resourceBinding', Cluster: 'clusterResourceBinding' } as const;

/** Time in which a delivery is expected; a faster one is not reported as pending. */
const DELIVERY_MS = 1000;

const appliedOf = ({ status }: Binding) => findCondition(status?.conditions, 'FullyApplied');

/** A refused object has no Work to report for it. */
const writtenOf = ({ status }: Binding) => findCondition(status?.conditions, 'WorksWritten');

const isBindingChange = (now: Binding | undefined, before: Binding | undefined): boolean =>
  now !== undefined &&
  (before === undefined ||
    now.metadata.generation !== before.metadata.generation ||
    appliedOf(now)?.status !== appliedOf(before)?.status ||
    writtenOf(now)?.status !== writtenOf(before)?.status);

/** True if a Work was deleted, or its status changed; a new Work has no status. */
const isChange = (now: Work | undefined, before: Work | undefined): boolean =>
  now === undefined ||
  now.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
  !sameJson(now.status, before?.status);

/** True if the spec of a Work is new or changed, so that its delivery is pending. */
const isUnderWay = (now: Work | undefined, before: Work | undefined): boolean =>
  now !== undefined && now.metadata.generation !== before?.metadata.generation;

const bindingsOf =
  (kind: BindingKind) =>
  (work: Work): readonly ObjectRef[] => {
    const binding = bindingOf(work, kind);
    return binding === undefined ? [] : [binding];
  };

/** True if the work is applied and healthy in all expected clusters, so that no more reports are due. */
const isSettled = ({ spec }: Binding, items: readonly AggregatedStatusItem[]): boolean =>
  items.length === expectedClusters(spec).size &&
  items.every(({ applied, health }) => applied === true && health === 'Healthy');

const readinessOf = (cluster: MemberCluster | undefined): boolean =>
  cluster !== undefined && isReady(cluster);

const sourcesOf = (kind: BindingKind): readonly Source[] => [
  watch(Work, { map: bindingsOf(kind), when: isChange }),
  delayedSource(watch(Work, { map: bindingsOf(kind), when: isUnderWay }), DELIVERY_MS),
  // The last status from a cluster counts while the cluster is heard from.
  watch(MemberCluster, {
    atStart: false,
    map: ({ metadata }, cache) =>
      cache(Work).listNamespace(executionNamespace(metadata.name)).flatMap(bindingsOf(kind)),
    when: (now, before) => readinessOf(now) !== readinessOf(before),
  }),
];

/** Reasons of events on the workload: nothing else shows them to its user. */
const TOLD: ReadonlySet<string> = new Set(['ClusterUnreachable', 'WorkFailed']);

const reportLosses = (
  binding: Binding,
  aggregatedStatus: readonly AggregatedStatusItem[],
  events: ReconcileContext['events'],
): void => {
  const now = { ...binding, status: { ...binding.status, aggregatedStatus } } as Binding;
  const losses = bindingTroubles(now).filter(({ reason }) => TOLD.has(reason));
  if (losses.length === 0) return;
  const knownMessages = new Set(bindingTroubles(binding).map(({ message }) => message));
  const before = binding.status?.aggregatedStatus ?? [];
  const heard = new Set(
    before.filter(({ health }) => health !== 'Unknown').map(({ clusterName }) => clusterName),
  );
  // A cluster that has just got the work has not reported yet, which is no loss.
  const isLoss = ({ reason, cluster = '' }: Finding): boolean =>
    reason !== 'ClusterUnreachable' || heard.has(cluster);
  const newLosses = losses
    .filter((one) => isLoss(one) && !knownMessages.has(one.message))
    .slice(0, 3);
  for (const { message } of newLosses) {
    events.warning(binding.spec.resource, 'WorkDegraded', message);
  }
};

const writeStatus = async (
  kind: BindingKind,
  binding: Binding,
  aggregatedStatus: readonly AggregatedStatusItem[],
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const { metadata, spec, status = {} } = binding;
  const condition = fullyApplied(spec, aggregatedStatus);
  const conditions = setCondition(status.conditions, condition, clock.now());
  const isSame = sameJson(status.aggregatedStatus ?? [], aggregatedStatus);
  if (isSame && conditions === status.conditions) return;
  // Guarded: the scheduler has a condition in the same list.
  const options = { fieldManager: 'perigee-binding-status', signal };
  await patchStatus(client, kind, binding, { aggregatedStatus, conditions }, options);
  // Once for a delivery, not for each report that follows.
  if (condition.status === 'True' && conditions !== status.conditions) {
    const message = `Update ${SUBJECTS[kind.scope]}(${objectKey(metadata)}) with AggregatedStatus successfully.`;
    events.normal(spec.resource, 'AggregateStatusSucceed', message);
  }
  reportLosses(binding, aggregatedStatus, events);
};

/** Aggregates the status of the copies to each binding and its template. */
export const bindingStatusController = (
  kind: BindingKind,
  { interpreter, concurrency = 16 }: BindingStatusOptions,
): ControllerDefinition => {
  const templates = new Templates();
  /** Many clusters report at about the same time, and each several times until it is well. */
  let settling: Settling | undefined;
  return defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'binding-status' : 'cluster-binding-status',
    component: COMPONENTS[kind.scope],
    for: kind,
    concurrency,
    when: isBindingChange,
    watches: sourcesOf(kind),
    indexes: [worksOfBinding],
    async reconcile(ref, context) {
      settling ??= new Settling(context.clock);
      const key = objectKey(ref);
      const binding = context.cache(kind).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) {
        settling.forget(key);
        return undefined;
      }
      const works = context.cache(Work).byIndex(...worksKey(ref));
      const { lastScheduledTime, aggregatedStatus } = binding.status ?? {};
      // A binding that was never scheduled has no status to aggregate.
      if (works.length === 0 && !lastScheduledTime && aggregatedStatus === undefined) {
        return undefined;
      }
      const items = aggregateWorks(works, binding.spec.resource, {
        isReady: (name) => readinessOf(context.cache(MemberCluster).get({ name })),
      });
      const restMs = settling.restOf(key, isSettled(binding, items));
      if (restMs > 0) return { requeueAfterMs: restMs };
      await writeStatus(kind, binding, items, context);
      await aggregateTemplate(binding, items, { interpreter, templates }, context);
      return undefined;
    },
  });
};
