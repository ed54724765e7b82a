import type { Operation, Sequence } from './operation.ts';
import type { SequenceResult } from './run-sequence.ts';

const MOST_RUNS = 80;

/**
 * A shorter sequence that fails too. Leaves out ever smaller parts, and keeps a part out when the rest
 * still fails in the same way.
 */
export const shrink = async (
  sequence: Sequence,
  failsStill: (sequence: Sequence) => Promise<SequenceResult | undefined>,
): Promise<{ readonly sequence: Sequence; readonly result: SequenceResult | undefined }> => {
  let operations: readonly Operation[] = sequence.operations;
  let result: SequenceResult | undefined;
  let runs = 0;
  for (let size = Math.ceil(operations.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = operations.length - size; start >= 0 && runs < MOST_RUNS; start -= size) {
      const rest = [...operations.slice(0, start), ...operations.slice(start + size)];
      if (rest.length === 0) continue;
      runs++;
      const again = await failsStill({ ...sequence, operations: rest });
      if (again === undefined) continue;
      operations = rest;
      result = again;
    }
  }
  return { sequence: { ...sequence, operations }, result };
};
