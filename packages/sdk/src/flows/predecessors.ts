import { UsageError } from '../errors.ts';
import type { DescribedStep } from './flow.ts';
import type { Predecessor } from './step.ts';

const stepOf = (one: Predecessor<string>): string | undefined =>
  typeof one === 'string' ? one : 'step' in one ? one.step : undefined;

/** The predecessors of a step. Checks that they exist, since JavaScript callers have no types to do so. */
export const predecessorsIn = (
  name: string,
  after: readonly Predecessor<string>[],
  steps: readonly DescribedStep[],
): readonly Predecessor<string>[] => {
  const there = new Set(steps.map((one) => one.name));
  for (const one of after) {
    const before = stepOf(one);
    if (before === undefined || there.has(before)) continue;
    const names =
      steps.length === 0 ? 'it is the first' : `those before it are ${[...there].join(', ')}`;
    throw new UsageError(
      before === name
        ? `the step ${name} cannot run after itself`
        : `the step ${name} cannot run after ${before}, as there is no such step before it: ${names}`,
    );
  }
  return after;
};
