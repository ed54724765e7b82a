import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { nextRun } from '@perigee/scheduling/placement/triggers/next-run';
import { sameJson } from '@perigee/schema/same-json';

const FIELD_MANAGER = 'perigee-schedule-trigger';

const ofClusters = ({ clusters = [] }: { readonly clusters?: readonly string[] }): string =>
  clusters.length === 0 ? '' : ` of ${clusters.join(', ')}`;

/** Begins the next run of a recurring trigger if it is due. Returns the requeue delay. */
export const waitForRun = async (
  trigger: ScheduleTrigger,
  { cache, client, clock, events, signal }: ReconcileContext,
): Promise<number> => {
  const { metadata, spec, status } = trigger;
  const clusters = spec.onClusters === undefined ? [] : [...cache(MemberCluster).list()];
  const { state, begins, nextMs } = nextRun(trigger, clusters, clock.now());
  const options = { fieldManager: FIELD_MANAGER, signal };
  const { generation: observedGeneration } = metadata;
  if (begins !== undefined) {
    const { startTime, cause } = begins;
    const message = `It runs: ${cause}${ofClusters(begins)}.`;
    const underWay = { type: 'Complete', status: 'False', reason: 'UnderWay', message } as const;
    const conditions = setCondition(status?.conditions, underWay, clock.now());
    const fresh = { finishTime: null, counts: null, targets: null, failedResourceList: null };
    const runningStatus = { phase: 'Running', startTime, observedGeneration, conditions, ...fresh };
    // A merge patch has to remove fields by name.
    const standing = { nextRunTime: null, ...state, run: { clusters: null, ...begins } };
    await patchStatus(client, ScheduleTrigger, trigger, { ...runningStatus, standing }, options);
    events.normal(trigger, 'TriggerRuns', message);
    return Infinity;
  }
  const message =
    state.nextRunTime === undefined ? 'It waits.' : `The next run is at ${state.nextRunTime}.`;
  const waits = { type: 'Complete', status: 'False', reason: 'Standing', message } as const;
  const conditions = setCondition(status?.conditions, waits, clock.now());
  const isSame =
    sameJson(state, status?.standing) &&
    conditions === status?.conditions &&
    status?.observedGeneration === observedGeneration;
  if (!isSame) {
    const standing = { nextRunTime: null, clusters: null, ...state };
    const fields = { standing, conditions, observedGeneration };
    await patchStatus(client, ScheduleTrigger, trigger, fields, options);
  }
  return nextMs;
};
