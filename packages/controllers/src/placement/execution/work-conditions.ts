import { type ManifestStatus, Work } from '@perigee/api/kinds/placement/work';
import { findCondition, type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { present } from '@perigee/schema/present';

export const dispatching = ({ spec }: Work): NewCondition<'Work'> =>
  spec.suspendDispatching === true
    ? {
        type: 'Dispatching',
        status: 'False',
        reason: 'SuspendDispatching',
        message: 'Work dispatching is in a suspended state.',
      }
    : {
        type: 'Dispatching',
        status: 'True',
        reason: 'Dispatching',
        message: 'Work is being dispatched to member clusters.',
      };

const MOST_LETTERS = 32_768;

/**
 * The Applied condition; `failures` are the errors of missing manifests. It names the delivered generation: a lost
 * member has none of the later ones.
 */
export const appliedCondition = (
  { metadata: { generation }, spec }: Work,
  failures: readonly string[],
): NewCondition<'Work'> => {
  const observed = present({ observedGeneration: generation });
  if (failures.length === 0) {
    return {
      type: 'Applied',
      status: 'True',
      reason: 'AppliedSuccessful',
      message: 'Manifest has been successfully applied',
      ...observed,
    };
  }
  const total = spec.workload?.manifests?.length ?? 0;
  const message = `Failed to apply all manifests (${total - failures.length}/${total}): ${failures.join(', ')}`;
  return {
    type: 'Applied',
    status: 'False',
    reason: 'AppliedFailed',
    message: message.slice(0, MOST_LETTERS),
    ...observed,
  };
};

/**
 * Writes the conditions that differ, together with the manifest statuses. Guarded: a condition that is based on an
 * old state must not win.
 */
export const writeConditions = async (
  work: Work,
  conditions: readonly NewCondition<'Work'>[],
  { client, clock, events, signal }: ReconcileContext,
  manifestStatuses?: readonly ManifestStatus[],
): Promise<void> => {
  const before = work.status?.conditions;
  const after = conditions.reduce(
    (present, condition) => setCondition(present, condition, clock.now()),
    before,
  );
  if (after === before) return;
  const options = { fieldManager: 'perigee-execution', signal };
  const manifestFields = present({ manifestStatuses });
  await patchStatus(client, Work, work, { conditions: after, ...manifestFields }, options);
  const [then, now] = [before, after].map((list) => findCondition(list, 'Dispatching'));
  // Dispatching a new Work is not worth an event.
  const wasDispatched = then === undefined || then.status === 'True';
  if (now !== undefined && wasDispatched !== (now.status === 'True')) {
    events.normal(work, 'WorkDispatching', now.message);
  }
};
