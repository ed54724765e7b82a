import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { OwnWrites } from '@perigee/kube/controller/own-writes';
import { isGoing } from '@perigee/scheduling/clusters/lifecycle/going-cluster';
import { takesWork } from '@perigee/scheduling/clusters/sharding/takes-part';
import { EvictionError } from '@perigee/scheduling/errors';
import { refusalWords } from '@perigee/scheduling/explain/refusal-words';
import {
  APPLIED_PLACEMENT,
  type Binding,
  type BindingKind,
} from '@perigee/scheduling/placement/binding/binding';
import { DEFAULT_SCHEDULER } from '@perigee/scheduling/placement/binding/distributed-to';
import { decideOn } from '@perigee/scheduling/placement/scheduler/decide-on';
import { isRescheduleDue } from '@perigee/scheduling/placement/scheduler/placement-request';
import { RecentDecisions } from '@perigee/scheduling/placement/scheduler/recent-decisions';
import {
  bindingPatch,
  type ClusterOf,
  type DecisionFacts,
  decisionMessage,
  statusAfter,
} from '@perigee/scheduling/placement/scheduler/record-decision';
import { schedulingCause } from '@perigee/scheduling/placement/scheduler/scheduling-cause';
import type { PlacementRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { isOurs } from '@perigee/scheduling/placement/scheduler/standing';
import { scheduledTime } from '@perigee/scheduling/placement/triggers/scheduled-time';
import { present } from '@perigee/schema/present';
import { reportNotEvicted } from '../failover/graceful-eviction/eviction-events.ts';
import { GroupMembers, groupIndexes } from './group-members.ts';
import { KnownClusters } from './known-clusters.ts';
import { schedulerIndexes, schedulerWatches } from './scheduler-watches.ts';
import { type StatusWriter, writeStatus } from './write-status.ts';

export interface SchedulerOptions {
  /** Selects bindings by their `schedulerName`. */
  readonly schedulerName?: string;
  readonly rules?: PlacementRules;
  /** Stands in for Schedulers only while none of them takes work. */
  readonly isDeputy?: boolean;
  /** The number of bindings in progress; their writes share a flush. */
  readonly concurrency?: number;
}

const FIELD_MANAGER = 'perigee-scheduler';

/** Retry interval for work that cannot leave a cluster yet. */
const RECHECK_MS = 60_000;

/** Writes a decision. Work that would leave a cluster without its state is rechecked, and nothing is written. */
const record = async (
  kind: BindingKind,
  binding: Binding,
  attempt: DecisionFacts,
  why: () => string,
  writer: StatusWriter,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { clock, events } = context;
  const { decision, cause } = attempt;
  const { client, options, note } = writer;
  let body: object | undefined;
  try {
    body = bindingPatch(binding, attempt);
  } catch (error) {
    if (!(error instanceof EvictionError)) throw error;
    reportNotEvicted(events, binding, error);
    return { requeueAfterMs: RECHECK_MS };
  }
  let updatedBinding = binding;
  if (body !== undefined) {
    updatedBinding = await client.patch(kind, refOf(binding), { type: 'merge', body }, options);
    note(updatedBinding);
  }
  const generation = updatedBinding.metadata.generation ?? 0;
  const isConfirmed = body === undefined && cause === 'AlwaysScheduled';
  const nowMs = clock.now();
  const statusOf = (status: BindingStatus, spec: BindingSpec) => {
    const scheduledAt = scheduledTime(binding.spec, spec, nowMs);
    return statusAfter(status, generation, decision, { isConfirmed, scheduledAt, nowMs });
  };
  const statusChange = await writeStatus(kind, updatedBinding, statusOf, writer);
  const isChange = body !== undefined || statusChange.conditions !== undefined;
  if (!isChange && cause !== 'RescheduleTriggered') return undefined;
  // The condition has Karmada's counts; the Event adds which term refused which clusters.
  const details = decision.outcome.kind === 'refused' ? why() : '';
  const decided = decisionMessage(decision);
  const message = details === '' ? decided : `${decided.replace(/\.$/, '')}.${details}`;
  const { resource } = binding.spec;
  if (decision.outcome.kind === 'placed') {
    // The condition and the clusters of the binding say the same.
    events.normal(resource, 'ScheduleBindingSucceed', message);
    return undefined;
  }
  for (const subject of [binding, resource]) {
    events.warning(subject, 'ScheduleBindingFailed', message);
  }
  return undefined;
};

/** Moving placed work comes after everything else of the same priority. */
const urgencyOf = ({ spec, status = {} }: Binding): number =>
  (spec.schedulePriority?.priority ?? 0) - (isRescheduleDue(spec, status) ? 0.5 : 0);

/** Schedules bindings to clusters. */
export const schedulerController = (
  kind: BindingKind,
  {
    schedulerName = DEFAULT_SCHEDULER,
    rules = standardRules,
    isDeputy = false,
    concurrency = 128,
  }: SchedulerOptions = {},
): ControllerDefinition => {
  const clusters = new KnownClusters();
  const own = new OwnWrites<Binding>();
  const members = new GroupMembers(kind, own);
  const decisions = new RecentDecisions();
  const isRelieved = (cache: Caches) =>
    isDeputy && [...cache(Scheduler).list()].some((scheduler) => takesWork(scheduler));
  return defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'scheduler' : 'cluster-scheduler',
    component: schedulerName,
    for: kind,
    concurrency,
    when: (now, before) =>
      now !== undefined &&
      (before === undefined || now.metadata.generation !== before.metadata.generation),
    priority: urgencyOf,
    watches: [own.seenBy(kind), ...schedulerWatches(kind, clusters, { isDeputy })],
    indexes: [...schedulerIndexes(kind, schedulerName), ...groupIndexes(kind)],
    async reconcile(ref, context) {
      const { cache, client, clock, signal } = context;
      const cachedBinding = cache(kind).get(ref);
      if (cachedBinding === undefined || cachedBinding.metadata.deletionTimestamp !== undefined)
        return undefined;
      const binding = own.newest(cachedBinding);
      if (!isOurs(binding, schedulerName) || isRelieved(cache)) return undefined;
      const { metadata, spec, status = {} } = binding;
      const appliedPlacement = metadata.annotations?.[APPLIED_PLACEMENT];
      const state = {
        spec,
        status,
        ...present({ appliedPlacement: appliedPlacement || undefined }),
      };
      const clusterOf: ClusterOf = (name) => cache(MemberCluster).get({ name });
      const cause = schedulingCause(state, (name) => isGoing(clusterOf(name)));
      const writer: StatusWriter = {
        client,
        options: { fieldManager: FIELD_MANAGER, signal },
        note: (updatedBinding) => own.note(updatedBinding, cache(kind).get(ref)),
      };
      if (cause === undefined) {
        const schedulerObservedGeneration = metadata.generation ?? 0;
        const withGeneration = (before: BindingStatus) => ({
          ...before,
          schedulerObservedGeneration,
        });
        await writeStatus(kind, binding, withGeneration, writer);
        return undefined;
      }
      const world = {
        clusters: clusters.withRoom(cache, clock.now()),
        rules,
        groups: members.groups(cache),
      };
      const decision = decideOn(binding, world, decisions);
      using _ = members.decided(binding, decision);
      const attempt = { decision, cause, clusterOf, nowMs: clock.now() };
      const why = () => refusalWords(binding, decision, { world, clusterOf });
      return await record(kind, binding, attempt, why, writer, context);
    },
  });
};
