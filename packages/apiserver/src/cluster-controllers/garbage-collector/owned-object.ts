import type { JsonObject } from '@perigee/schema/json';
import { FOREGROUND, ORPHAN } from '../../registry/deletion-finalizers.ts';
import { storedMetaOf } from '../../registry/metadata.ts';
import type { Entry } from '../../store/store.ts';
import type { Departed, OwnedObject } from './ownership-graph.ts';

/**
 * True if an object may have owners or finalizers for the garbage collector. Scans the bytes without parsing, and
 * may have false positives.
 */
export const mayMatter = ({ bytes }: Entry): boolean =>
  bytes.includes('"ownerReferences"') || bytes.includes('"deletionTimestamp"');

export const ownedObject = (table: string, { key, object }: Entry): OwnedObject => {
  const { uid, ownerReferences = [], finalizers = [], deletionTimestamp } = storedMetaOf(object);
  return {
    uid,
    table,
    key,
    owners: ownerReferences,
    isEnding: deletionTimestamp !== undefined,
    finalizers: finalizers.filter((name) => name === FOREGROUND || name === ORPHAN),
  };
};

const kindOf = ({ kind }: JsonObject): string => String(kind);

export const departureOf = ({ key, object }: Entry): Departed => ({
  uid: storedMetaOf(object).uid,
  kind: kindOf(object),
  key,
});

/** The namespace in the key of an object, if it is in one. */
export const namespaceIn = (key: string): string | undefined => {
  const slash = key.indexOf('/');
  return slash < 0 ? undefined : key.slice(0, slash);
};

export const nameIn = (key: string): string => key.slice(key.indexOf('/') + 1);
