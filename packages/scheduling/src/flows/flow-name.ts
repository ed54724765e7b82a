import type { FindOperation } from './find-cycle.ts';
import { FLOW, type Operation, predecessorKeys, textOfKey } from './operation.ts';

/** Limit of steps towards the root. */
const MOST_STEPS = 10_000;

const LONGEST_LABEL = 63;

/**
 * The name of an operation's flow: from its label, or that of a predecessor, else the name of the root. `labelOf` reads
 * it from the objects of an operation, which shortens the walk to the root in a long flow.
 */
export const flowName = (
  operation: Operation,
  find: FindOperation,
  labelOf: (operation: Operation) => string | undefined = () => undefined,
): string => {
  const visitedKeys = new Set<string>();
  let root = operation;
  for (let step = 0; step < MOST_STEPS; step++) {
    const label = root.metadata.labels?.[FLOW];
    if (label) return label;
    const [next] = predecessorKeys(root);
    const before = next && !visitedKeys.has(textOfKey(next)) ? find(next) : undefined;
    if (next === undefined || before === undefined) break;
    const flowLabel = labelOf(before);
    if (flowLabel !== undefined) return flowLabel;
    visitedKeys.add(textOfKey(next));
    root = before;
  }
  return root.metadata.name.slice(0, LONGEST_LABEL).replace(/[^A-Za-z0-9]+$/, '');
};
