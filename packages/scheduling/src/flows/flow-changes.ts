import type { FlowStep } from './flow-graph.ts';
import { isTerminal, policyOf, RETRY, statusOf } from './operation.ts';

/** What is to become of steps, and of which. */
export interface FlowChange {
  readonly done: string;
  readonly concerns: (step: FlowStep) => boolean;
  readonly patch: object;
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
  nothing: 'nothing is left to cancel: every step has ended',
};

/** Each mark is another try. */
export const retrying = (mark: string): FlowChange => ({
  done: 'tried again',
  concerns: (step) => !isCancelled(step) && statusOf(step.operation).phase === 'Failed',
  patch: { metadata: { annotations: { [RETRY]: mark } } },
  nothing: 'nothing is left to try again: no step has failed, except those that were cancelled',
});

/**
 * The steps that a change is about, from the end on, so that nothing starts whose turn comes because of what was
 * changed before.
 */
export const stepsToChange = (
  steps: readonly FlowStep[],
  { concerns }: FlowChange,
): readonly FlowStep[] => steps.filter(concerns).toReversed();
