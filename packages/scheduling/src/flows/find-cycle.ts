import {
  keyOfOperation,
  type Operation,
  type OperationKey,
  predecessorKeys,
  textOfKey,
} from './operation.ts';

export type FindOperation = (key: OperationKey) => Operation | undefined;

/** Limit of the search: tenants may write any number of operations. */
const MOST_STEPS = 10_000;

interface Visit {
  readonly key: OperationKey;
  readonly from: Visit | undefined;
}

const pathOf = (last: Visit): readonly OperationKey[] => {
  const path: OperationKey[] = [];
  for (let visit: Visit | undefined = last; visit !== undefined; visit = visit.from)
    path.push(visit.key);
  return path.reverse();
};

/**
 * The cycle of operations through one, from itself back to itself; undefined if there is none. Completed operations
 * wait for nothing, and end the search.
 */
export const findCycle = (
  operation: Operation,
  find: FindOperation,
): readonly OperationKey[] | undefined => {
  const start = keyOfOperation(operation);
  const goal = textOfKey(start);
  const visitedKeys = new Set<string>();
  const open: Visit[] = predecessorKeys(operation).map((key) => ({
    key,
    from: { key: start, from: undefined },
  }));
  for (let next = 0; next < open.length && next < MOST_STEPS; next++) {
    const visit = open[next] as Visit;
    const text = textOfKey(visit.key);
    if (text === goal) return pathOf(visit);
    if (visitedKeys.has(text)) continue;
    visitedKeys.add(text);
    const predecessor = find(visit.key);
    if (predecessor === undefined || predecessor.status?.phase === 'Complete') continue;
    for (const key of predecessorKeys(predecessor)) open.push({ key, from: visit });
  }
  return undefined;
};
