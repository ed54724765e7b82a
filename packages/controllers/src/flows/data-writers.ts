import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  keyOfOperation,
  type Operation,
  type OperationKey,
  statusOf,
  textOfKey,
} from '@perigee/scheduling/flows/operation';
import { isStopped } from '@perigee/scheduling/flows/operation-conditions';
import { writtenData } from '@perigee/scheduling/flows/written-data';
import { bindingsOfOperation, fellowWriters } from './operation-indexes.ts';
import { isBlockedWriter } from './operation-watches.ts';

/** True if an operation may write its data now, including while a stopped run is being removed. */
const holdsData = (cache: Caches, operation: Operation): boolean => {
  const { phase, conditions } = statusOf(operation);
  if (phase === 'Executing') return true;
  return (
    phase === 'Failed' && isStopped(conditions) && bindingsOfOperation(cache, operation).length > 0
  );
};

/** First come, first served; names break ties within a second. */
const isAhead = (a: Operation, b: Operation): boolean => {
  const [ageA, ageB] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return ageA === ageB ? textOfKey(keyOfOperation(a)) < textOfKey(keyOfOperation(b)) : ageA < ageB;
};

/** The writers of data: by the status of operations, and by the starts whose status is not written yet. */
export class DataWriters {
  /** The data of operations that start, until their status shows it. */
  readonly #starting = new Map<string, OperationKey>();

  /** Reserves the data of an operation that starts, until disposed. */
  start(operation: Operation): Disposable {
    const data = writtenData(operation);
    for (const one of data) this.#starting.set(one, keyOfOperation(operation));
    return {
      [Symbol.dispose]: () => {
        for (const one of data) this.#starting.delete(one);
      },
    };
  }

  /** Another operation that writes the same data, and goes first. */
  aheadOf(
    operation: Operation,
    cache: Caches,
    newest: (operation: Operation) => Operation,
  ): OperationKey | undefined {
    const own = textOfKey(keyOfOperation(operation));
    const starting = writtenData(operation)
      .map((data) => this.#starting.get(data))
      .find((key) => key !== undefined && textOfKey(key) !== own);
    if (starting !== undefined) return starting;
    const ahead = fellowWriters(cache, operation)
      .map(newest)
      .find(
        (one) =>
          holdsData(cache, one) ||
          (statusOf(one).phase === 'Pending' && isBlockedWriter(one) && isAhead(one, operation)),
      );
    return ahead && keyOfOperation(ahead);
  }
}
