import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import {
  DEFAULT_SCHEDULER,
  DISTRIBUTED_TO,
} from '@perigee/scheduling/placement/binding/distributed-to';
import {
  isRefused,
  refusersNoted,
  refusersOf,
  takenBack,
} from '@perigee/scheduling/placement/distributor/refusals';
import { present } from '@perigee/schema/present';

const FIELD_MANAGER = 'perigee-distributor';

const patchBinding = (
  kind: BindingKind,
  binding: Binding,
  change: {
    readonly annotations?: { readonly [annotation: string]: string | null };
    readonly spec?: object;
  },
  { client, signal }: ReconcileContext,
): Promise<Binding> => {
  const { annotations, ...rest } = change;
  const { resourceVersion } = binding.metadata;
  const body = { metadata: { resourceVersion, ...present({ annotations }) }, ...rest };
  const options = { fieldManager: FIELD_MANAGER, signal };
  return client.patch(kind, refOf(binding), { type: 'merge', body }, options);
};

/** Records the schedulers that refused a binding; an empty list clears the annotation. */
export const noteRefusers = (
  kind: BindingKind,
  binding: Binding,
  refusers: readonly string[],
  context: ReconcileContext,
): Promise<Binding> =>
  patchBinding(kind, binding, { annotations: refusersNoted(refusers) }, context);

/** Assigns a binding to a scheduler. */
export const give = async (
  kind: BindingKind,
  binding: Binding,
  schedulerName: string,
  context: ReconcileContext,
): Promise<void> => {
  const isDefault = schedulerName === DEFAULT_SCHEDULER;
  const annotations = { [DISTRIBUTED_TO]: isDefault ? null : schedulerName };
  await patchBinding(kind, binding, { annotations, spec: { schedulerName } }, context);
};

/** Records a refusal, resets the condition of the last scheduler, and assigns the binding to the next. */
export const handOver = async (
  kind: BindingKind,
  binding: Binding,
  { to, refusers }: { readonly to: string; readonly refusers: readonly string[] },
  context: ReconcileContext,
): Promise<void> => {
  let current = binding;
  if (refusersOf(binding).length < refusers.length) {
    current = await noteRefusers(kind, current, refusers, context);
  }
  if (isRefused(current)) {
    const { client, clock, signal } = context;
    const conditions = takenBack(current, clock.now());
    const options = { fieldManager: FIELD_MANAGER, signal };
    current = await patchStatus(client, kind, current, { conditions }, options);
  }
  await give(kind, current, to, context);
};
