import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { EvictionError } from '@perigee/scheduling/errors';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import {
  type FailureJudgement,
  failureCause,
  judgeFailure,
} from '@perigee/scheduling/placement/failover/application-failure';
import {
  evictCluster,
  type PlacementFields,
  placedOf,
} from '@perigee/scheduling/placement/failover/evict-cluster';
import { whyUndecided } from '@perigee/scheduling/placement/scheduler/standing';
import { present } from '@perigee/schema/present';
import { reportNotEvicted } from '../graceful-eviction/eviction-events.ts';
import { writeEviction } from '../graceful-eviction/write-eviction.ts';
import { UNHEALTHY_SINCE, unhealthySince, writtenSince } from './unhealthy-since.ts';

export interface ApplicationFailoverOptions {
  /** Decides for which kinds health can be interpreted. */
  readonly interpreter?: Interpreter;
}

const FIELD_MANAGER = 'perigee-application-failover';

/** The producers of eviction tasks, by the names that Karmada's tools expect. */
const PRODUCERS = {
  Namespaced: 'resource-binding-application-failover-controller',
  Cluster: 'cluster-resource-binding-application-failover-controller',
};

const NOTHING: FailureJudgement = { since: new Map(), failedClusters: [] };

const isConcerned = (binding: Binding | undefined): boolean =>
  binding?.spec.failover?.application !== undefined ||
  binding?.metadata.annotations?.[UNHEALTHY_SINCE] !== undefined;

/** Dependencies must be propagated, else moved work would not run; without reported health, work is not judged. */
const judge = (binding: Binding, interpreter: Interpreter, nowMs: number): FailureJudgement => {
  const { spec, status = {} } = binding;
  const { application } = spec.failover ?? {};
  const { apiVersion, kind } = spec.resource;
  if (application === undefined || spec.propagateDeps !== true) return NOTHING;
  if (interpreter.of(apiVersion, kind).health === undefined) return NOTHING;
  const { tolerationSeconds } = application.decisionConditions;
  return judgeFailure(spec, status, unhealthySince(binding), { nowMs, tolerationSeconds });
};

/**
 * The clusters that remain after evicting the work from those where it failed. Throws an `EvictionError` for work
 * that cannot be evicted.
 */
const evictFrom = (
  kind: BindingKind,
  binding: Binding,
  failedClusters: readonly string[],
): PlacementFields => {
  const undecided = whyUndecided(binding);
  if (undecided !== undefined) {
    throw new EvictionError(`nobody would place it elsewhere: ${undecided}`);
  }
  const { spec, status = {} } = binding;
  const { application } = spec.failover ?? {};
  let placed = placedOf(spec);
  if (application === undefined) return placed;
  for (const cluster of failedClusters) {
    const cause = failureCause(application, { spec, status }, cluster, PRODUCERS[kind.scope]);
    placed = evictCluster(placed, cluster, cause);
  }
  return placed;
};

const record = async (
  kind: BindingKind,
  binding: Binding,
  { since, failedClusters }: FailureJudgement,
  context: ReconcileContext,
): Promise<void> => {
  const write = (text: string | null, placed?: PlacementFields) => {
    const isKnown = (binding.metadata.annotations?.[UNHEALTHY_SINCE] ?? null) === text;
    if (isKnown && placed === undefined) return undefined;
    return writeEviction(
      kind,
      binding,
      {
        fieldManager: FIELD_MANAGER,
        ...present({ annotations: isKnown ? undefined : { [UNHEALTHY_SINCE]: text }, placed }),
      },
      context,
    );
  };
  if (failedClusters.length === 0) return write(writtenSince(since));
  try {
    return await write(writtenSince(since), evictFrom(kind, binding, failedClusters));
  } catch (error) {
    if (!(error instanceof EvictionError)) throw error;
    reportNotEvicted(context.events, binding, error);
    const sinceByCluster = unhealthySince(binding);
    const nowMs = context.clock.now();
    const still = failedClusters.map((name) => [name, sinceByCluster.get(name) ?? nowMs] as const);
    return write(writtenSince(new Map([...since, ...still])));
  }
};

/** Moves work away from clusters where it is unhealthy for too long. */
export const applicationFailoverController = (
  kind: BindingKind,
  { interpreter = createInterpreter(nativeKinds) }: ApplicationFailoverOptions = {},
): ControllerDefinition =>
  defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'application-failover' : 'cluster-application-failover',
    for: kind,
    when: (now, before) => now !== undefined && (isConcerned(now) || isConcerned(before)),
    concurrency: 4,
    async reconcile(ref, context) {
      const { cache, clock } = context;
      const binding = cache(kind).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined)
        return undefined;
      if (!isConcerned(binding)) return undefined;
      const judgement = judge(binding, interpreter, clock.now());
      await record(kind, binding, judgement, context);
      return judgement.nextMs === undefined ? undefined : { requeueAfterMs: judgement.nextMs };
    },
  });
