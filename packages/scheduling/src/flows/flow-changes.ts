import type { FlowStep } from './flow-graph.ts';
import { isTerminal, policyOf, RETRY, statusOf } from './operation.ts';

/** A change of steps. */
export interface FlowChange {
  readonly done: string;
  readonly concerns: (step: FlowStep) => boolean;
  readonly patch: object;
  /** True if the steps are changed from the last to the first. */
  readonly fromEnd: boolean;
  /** The message if no step is concerned. */
  readonly nothing: string;
}

const isCancelled = ({ operation }: FlowStep): boolean => operation.spec.cancel === true;

export const CANCELLING: FlowChange = {
  done: 'cancelled',
  concerns: (step) =>
    !isCancelled(step) &&
    (!isTerminal(statusOf(step.operation)) || policyOf(step.operation) === 'Cron'),
  patch: { spec: { cancel: true } },
  // Otherwise a later step would start as soon as its predecessor is changed.
  fromEnd: true,
  nothing: 'nothing is left to cancel: every step has ended',
};

/** Each new mark requests one retry. */
export const retryChange = (mark: string): FlowChange => ({
  done: 'tried again',
  concerns: (step) => !isCancelled(step) && statusOf(step.operation).phase === 'Failed',
  patch: { metadata: { annotations: { [RETRY]: mark } } },
  // Predecessors first: their successors would fail again otherwise.
  fromEnd: false,
  nothing: 'nothing is left to try again: no step has failed, except those that were cancelled',
});

/** The steps that a change concerns, in the order of the writes. */
export const stepsToChange = (
  steps: readonly FlowStep[],
  { concerns, fromEnd }: FlowChange,
): readonly FlowStep[] => {
  const choice = steps.filter(concerns);
  return fromEnd ? choice.toReversed() : choice;
};
