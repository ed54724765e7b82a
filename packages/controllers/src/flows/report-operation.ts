import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Operation } from '@perigee/scheduling/flows/operation';

const wordOf = ({ conditions }: OperationStatus, type: string) =>
  conditions.find((one) => one.type === type);

/** Writes an Event for each phase of an operation, with Fluid's reasons. */
export const reportOperation = (
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
  const startedCondition = wordOf(after, 'Started');
  const startedBefore = wordOf(before, 'Started');
  if (startedCondition?.status !== 'False' || startedCondition.reason === startedBefore?.reason)
    return;
  if (startedCondition.reason === 'PredecessorMissing') {
    events.warning(operation, 'DataOperationNotFound', startedCondition.message);
  } else if (startedCondition.reason === 'TargetDatasetNotFound') {
    events.warning(operation, 'TargetDatasetNotFound', startedCondition.message);
  } else {
    events.normal(
      operation,
      'DataOperationWaiting',
      `${startedCondition.reason}: ${startedCondition.message}`,
    );
  }
};
