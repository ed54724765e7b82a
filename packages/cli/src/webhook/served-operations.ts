import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import {
  OPERATION_KINDS,
  type Operation,
  type OperationKey,
  predecessorKeys,
  textOfKey,
} from '@perigee/scheduling/flows/operation';

/** A review must answer in seconds; deeper flows are checked by the controller. */
const MOST_READ = 1000;

const read = async (
  client: Client,
  { kind, namespace, name }: OperationKey,
): Promise<Operation | undefined> => {
  const of = OPERATION_KINDS.find((one) => one.kind === kind);
  return of && getOrUndefined(client, of, { namespace, name });
};

/** Reads the transitive predecessors of an operation, level by level. */
export const servedOperations =
  (client: Client) =>
  async (operation: Operation): Promise<FindOperation> => {
    const operations = new Map<string, Operation | undefined>();
    let next = predecessorKeys(operation);
    while (next.length > 0 && operations.size < MOST_READ) {
      const fresh = new Map(next.map((key) => [textOfKey(key), key]));
      const unread = [...fresh].filter(([text]) => !operations.has(text)).slice(0, MOST_READ);
      const predecessors = await Promise.all(
        unread.map(async ([text, key]) => {
          const one = await read(client, key);
          operations.set(text, one);
          return one === undefined || one.status?.phase === 'Complete' ? [] : predecessorKeys(one);
        }),
      );
      next = predecessors.flat();
    }
    return (key) => operations.get(textOfKey(key));
  };
