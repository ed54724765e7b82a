import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { nextTriggerTime } from '@perigee/scheduling/placement/triggers/next-trigger-time';
import {
  TRIGGERED_BY,
  type TriggerMark,
  withMark,
} from '@perigee/scheduling/placement/triggers/trigger-mark';
import { kindOf } from './trigger-lookup.ts';

const FIELD_MANAGER = 'perigee-schedule-trigger';

export interface Asker {
  readonly uid: string;
  readonly trigger: string;
  readonly run: string;
  /** True if the trigger of an earlier mark still exists. */
  readonly isThere: (uid: string) => boolean;
}

/**
 * Requests rescheduling of a binding. Mark and time are written in one patch, guarded by the resource version
 * that was read, so that no request is repeated: undefined after a conflict.
 */
export const askAfresh = async (
  binding: Binding,
  { uid, trigger, run, isThere }: Asker,
  { client, clock, signal }: ReconcileContext,
): Promise<Binding | undefined> => {
  const { metadata, spec, status } = binding;
  const at = nextTriggerTime(spec, status, clock.now());
  const before = (spec.clusters ?? []).map(({ name, replicas }) =>
    replicas === undefined ? { name } : { name, replicas },
  );
  const mark: TriggerMark = { trigger, run, at, before };
  const body = {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      annotations: { [TRIGGERED_BY]: withMark(metadata, uid, mark, isThere) },
    },
    spec: { rescheduleTriggeredAt: at },
  };
  const options = { fieldManager: FIELD_MANAGER, signal };
  try {
    return await client.patch(kindOf(binding), refOf(binding), { type: 'merge', body }, options);
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
};
