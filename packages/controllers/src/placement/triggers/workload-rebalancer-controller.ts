import {
  type ObservedWorkload,
  WorkloadRebalancer,
} from '@perigee/api/kinds/placement/workload-rebalancer';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { ignoreNotFound, isConflict } from '@perigee/kube/errors';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import {
  observedWorkloads,
  rebalancerLeftMs,
  rebalancerStatus,
} from '@perigee/scheduling/placement/triggers/rebalance';
import { sameJson } from '@perigee/schema/same-json';
import { eachAtMost } from './each-at-most.ts';
import { FIELD_MANAGER, rebalancersByUid, rebalanceWorkload } from './rebalance-workload.ts';

/** Concurrent writes of bindings, which share a flush. */
const WRITES_AT_ONCE = 32;

/** Number of results after which the status is written. */
const RESULTS_AT_ONCE = 1000;

const resultFor = async (
  { workload }: ObservedWorkload,
  { metadata }: WorkloadRebalancer,
  context: ReconcileContext,
): Promise<ObservedWorkload> =>
  (await rebalanceWorkload(workload, metadata.uid, context))
    ? { workload, result: 'Successful' }
    : { workload, result: 'Failed', reason: 'ReferencedBindingNotFound' };

const writeResults = async (
  rebalancer: WorkloadRebalancer,
  observed: readonly ObservedWorkload[],
  { client, clock, signal }: ReconcileContext,
): Promise<WorkloadRebalancer> => {
  const status = rebalancerStatus(rebalancer, observed, clock.now());
  if (sameJson(status, rebalancer.status)) return rebalancer;
  const options = { fieldManager: FIELD_MANAGER, signal };
  return patchStatus(client, WorkloadRebalancer, rebalancer, status, options);
};

/** Requests rescheduling of the remaining bindings, and records the results. Failures come last. */
const rebalance = async (
  rebalancer: WorkloadRebalancer,
  context: ReconcileContext,
): Promise<WorkloadRebalancer> => {
  const observed = [...observedWorkloads(rebalancer)];
  const open = observed.flatMap(({ result }, at) => (result === undefined ? [at] : []));
  const failures: unknown[] = [];
  let updatedRebalancer = rebalancer;
  do {
    await eachAtMost(WRITES_AT_ONCE, open.splice(0, RESULTS_AT_ONCE), async (at) => {
      const workload = observed[at] as ObservedWorkload;
      try {
        observed[at] = await resultFor(workload, rebalancer, context);
      } catch (error) {
        failures.push(error);
      }
    });
    context.signal.throwIfAborted();
    updatedRebalancer = await writeResults(updatedRebalancer, observed, context);
  } while (open.length > 0);
  if (failures.length > 0) throw failures.find((error) => !isConflict(error)) ?? failures[0];
  return updatedRebalancer;
};

/** Requests rescheduling of the resources that WorkloadRebalancers name. */
export const workloadRebalancerController = (): ControllerDefinition =>
  defineController({
    name: 'workload-rebalancer',
    for: WorkloadRebalancer,
    when: (now, before) =>
      now !== undefined && now.metadata.generation !== before?.metadata.generation,
    reads: BINDING_KINDS,
    indexes: [rebalancersByUid],
    concurrency: 4,
    async reconcile(ref, context) {
      const { cache, client, clock, signal } = context;
      const cachedRebalancer = cache(WorkloadRebalancer).get(ref);
      if (
        cachedRebalancer === undefined ||
        cachedRebalancer.metadata.deletionTimestamp !== undefined
      )
        return undefined;
      const rebalancer = await rebalance(cachedRebalancer, context);
      const { spec, status = {}, metadata } = rebalancer;
      const leftMs = rebalancerLeftMs(spec, status, clock.now());
      if (leftMs === Infinity) return undefined;
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      // The resource version makes a concurrent change fail the patch.
      const { uid, resourceVersion } = metadata;
      const options = { preconditions: { uid, resourceVersion }, signal };
      await client.delete(WorkloadRebalancer, refOf(rebalancer), options).catch(ignoreNotFound);
      return undefined;
    },
  });
