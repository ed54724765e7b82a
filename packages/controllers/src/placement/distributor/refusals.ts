import { findCondition, setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { type Binding, type BindingKind, isWaiting } from '../scheduler/binding.ts';

/** Says who found no place for a binding. Nobody is asked twice, until it is placed. */
const REFUSED_BY = 'globalscheduler.com/refused-by';
const FIELD_MANAGER = 'perigee-distributor';
const SCHEDULED = 'Scheduled';

export const refusersOf = ({ metadata }: Binding): readonly string[] =>
  (metadata.annotations?.[REFUSED_BY] ?? '').split(',').filter((name) => name !== '');

/** Whether its scheduler has not said anything about it yet, not even that it does not fit. */
export const isUndecided = (binding: Binding): boolean => {
  const said = findCondition(binding.status?.conditions, SCHEDULED)?.status ?? 'Unknown';
  return isWaiting(binding) && said === 'Unknown';
};

/** Whether its scheduler found no place for it. */
export const isRefused = ({ status }: Binding): boolean =>
  findCondition(status?.conditions, SCHEDULED)?.status === 'False';

/** Notes who has refused; nobody when the list is empty. */
export const noteRefusers = (
  kind: BindingKind,
  binding: Binding,
  refusers: readonly string[],
  { client, signal }: ReconcileContext,
): Promise<Binding> => {
  const { resourceVersion } = binding.metadata;
  const annotations = { [REFUSED_BY]: refusers.length === 0 ? null : refusers.join() };
  const body = { metadata: { resourceVersion, annotations } };
  const options = { fieldManager: FIELD_MANAGER, signal };
  return client.patch(kind, refOf(binding), { type: 'merge', body }, options);
};

/** Takes the word of a scheduler back, so that the word of the next one can be told from it. */
export const takeBack = (
  kind: BindingKind,
  binding: Binding,
  { client, clock, signal }: ReconcileContext,
): Promise<Binding> => {
  const { spec, status = {} } = binding;
  const said = findCondition(status.conditions, SCHEDULED)?.message ?? '';
  const conditions = setCondition(
    status.conditions,
    {
      type: SCHEDULED,
      status: 'Unknown',
      reason: 'HandedOver',
      message: `Another scheduler is asked. The scheduler ${spec.schedulerName} said: ${said}`,
    },
    clock.now(),
  );
  return patchStatus(
    client,
    kind,
    binding,
    { conditions },
    { fieldManager: FIELD_MANAGER, signal },
  );
};
