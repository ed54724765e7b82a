import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import type { HeldWord } from '@perigee/scheduling/queues/held-message';
import { writeStatus } from '../placement/scheduler/write-status.ts';

const FIELD_MANAGER = 'perigee-dispatcher';

/** Writes the reason of held work, with an Event if it changed. */
export const reportHeld = async (
  binding: ResourceBinding,
  { reason, message }: Pick<HeldWord, 'reason' | 'message'>,
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const before = findCondition(binding.status?.conditions, 'Admitted');
  const condition = { type: 'Admitted', status: 'False', reason, message } as const;
  const nowMs = clock.now();
  const next = (status: BindingStatus): BindingStatus => ({
    ...status,
    conditions: setCondition(status.conditions, condition, nowMs),
  });
  const writer = { client, options: { fieldManager: FIELD_MANAGER, signal }, note: () => {} };
  await writeStatus(ResourceBinding as BindingKind, binding, next, writer);
  if (before?.reason !== reason) events.normal(binding.spec.resource, 'WorkHeld', message);
};
