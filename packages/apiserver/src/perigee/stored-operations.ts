import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { keyOf } from '../registry/registry.ts';
import { type Place, storedObjects } from './stored-objects.ts';

/** Finds operations as they are stored at the moment of a write. */
export const storedOperations = (place: Place): FindOperation => {
  const { table, newest } = storedObjects(place);
  const tables = new Map(OPERATION_KINDS.map((kind) => [kind.kind, table(kind)]));
  return ({ kind, namespace, name }) => {
    // Anything may be written as a kind; its definition refuses what is none.
    const of = tables.get(kind);
    const operation = of === undefined ? undefined : newest(of, keyOf(namespace, name));
    return operation as never as Operation | undefined;
  };
};
