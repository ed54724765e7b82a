import type { FlowStep } from './flow-graph.ts';
import { isTerminal, policyOf, RETRY, statusOf } from './operation.ts';

/** A change of steps. */
export interface FlowChange {
  readonly done: string;
  readonly concerns: (step: FlowStep) => boolean;
  readonly patch: object;
  /** True if the last step of the flow is changed first. */
  readonly fromEnd: boolean;
  /** Why there is nothing to do. */
  readonly nothing: string;
}

const isCancelled = ({ operation }: FlowStep): boolean => operation.spec.cancel === true;

export const CANCELLING: FlowChange = {
  done: 'cancelled',
  concerns: (step) =>
    !isCancelled(step) &&
    (!isTerminal(statusOf(step.operation)) || policyOf(step.operation) === 'Cron'),
  patch: { spec: { cancel: true } },
  // So that nothing starts whose turn comes because of what was changed before.
  fromEnd: true,
  nothing: 'nothing is left to cancel: every step has ended',
};

/** Each mark is another try. */
export const retrying = (mark: string): FlowChange => ({
  done: 'tried again',
  concerns: (step) => !isCancelled(step) && statusOf(step.operation).phase === 'Failed',
  patch: { metadata: { annotations: { [RETRY]: mark } } },
  // Steps that fail with their predecessor must not see it failed again.
  fromEnd: false,
  nothing: 'nothing is left to try again: no step has failed, except those that were cancelled',
});

/** The steps that a change is about, in the order in which it is to be made. */
export const stepsToChange = (
  steps: readonly FlowStep[],
  { concerns, fromEnd }: FlowChange,
): readonly FlowStep[] => {
  const meant = steps.filter(concerns);
  return fromEnd ? meant.toReversed() : meant;
};
