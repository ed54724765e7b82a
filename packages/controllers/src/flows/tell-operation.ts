import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Operation } from '@perigee/scheduling/flows/operation';

const wordOf = ({ conditions }: OperationStatus, type: string) =>
  conditions.find((one) => one.type === type);

/** Writes an Event for each phase of an operation, with Fluid's reasons. */
export const tellOperation = (
  operation: Operation,
  before: OperationStatus,
  after: OperationStatus,
  { events }: ReconcileContext,
): void => {
  if (after.phase !== before.phase) {
    if (after.phase === 'Executing') {
      const message = wordOf(after, 'Placed')?.message ?? '';
      events.normal(operation, 'DataOperationExecuting', message);
    }
    if (after.phase === 'Complete') {
      const message = wordOf(after, 'Complete')?.message ?? '';
      events.normal(operation, 'DataOperationSucceed', message);
    }
    if (after.phase === 'Failed') {
      const { reason, message } = wordOf(after, 'Failed') ?? { reason: '', message: '' };
      if (before.phase === '') {
        events.warning(operation, 'DataOperationNotValid', `${reason}: ${message}`);
      } else {
        events.warning(operation, 'DataOperationFailed', `${reason}: ${message}`);
      }
    }
  }
  const started = wordOf(after, 'Started');
  const told = wordOf(before, 'Started');
  if (started?.status !== 'False' || started.reason === told?.reason) return;
  if (started.reason === 'PredecessorMissing') {
    events.warning(operation, 'DataOperationNotFound', started.message);
  } else if (started.reason === 'TargetDatasetNotFound') {
    events.warning(operation, 'TargetDatasetNotFound', started.message);
  } else {
    events.normal(operation, 'DataOperationWaiting', `${started.reason}: ${started.message}`);
  }
};
