import { parseExactJson } from '@perigee/schema/exact-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { type Forgetful, ParsedObjects } from './parsed-objects.ts';
import type { Entry } from './store.ts';

/** Limit in bytes of JSON; parsed objects take about twice as much. */
const MOST_PARSED_BYTES = 2 ** 24;
const parsedObjects = new ParsedObjects(MOST_PARSED_BYTES);
const jsonOf = new WeakMap<JsonObject, Buffer>();

/** The cached JSON of an object from an entry: serialising takes longer. */
export const storedJson = (object: JsonObject): Buffer | undefined => jsonOf.get(object);

/**
 * An entry of bytes, which are parsed on demand. Objects that were written or read recently are cached, since they
 * are likely to be read again.
 */
export class StoredEntry implements Entry, Forgetful {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer;
  #object: JsonObject | undefined;

  constructor(key: string, revision: number, bytes: Buffer, object?: JsonObject) {
    this.key = key;
    this.revision = revision;
    this.bytes = bytes;
    if (object !== undefined) this.#keep(object);
  }

  get object(): JsonObject {
    return this.#object ?? this.#keep(parseExactJson(this.bytes.toString()) as JsonObject);
  }

  forget(): void {
    this.#object = undefined;
  }

  #keep(object: JsonObject): JsonObject {
    this.#object = object;
    jsonOf.set(object, this.bytes);
    parsedObjects.add(this);
    return object;
  }
}

/**
 * A buffer of its own. Node allocates small buffers in shared slabs, and one long-lived object would retain the
 * whole slab of its short-lived neighbours.
 */
const bytesOf = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
};

/** True if the value is what would be read back from its JSON. Every write asks, so it is written for speed. */
const isPlain = (value: JsonValue | undefined): boolean => {
  if (typeof value !== 'object' || value === null) return value !== undefined;
  const parts = Array.isArray(value) ? value : Object.values(value);
  for (let at = 0; at < parts.length; at += 1) if (!isPlain(parts[at])) return false;
  return true;
};

/**
 * The entry that a write makes of an object: its resource version becomes the revision. The entry keeps
 * the object: who made it must not change it any more. Its text need not be written if it is known.
 */
export const entryOf = (
  key: string,
  revision: number,
  object: JsonObject,
  text?: string,
): Entry => {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const stamped = { ...object, metadata: { ...metadata, resourceVersion: String(revision) } };
  const bytes = bytesOf(text ?? JSON.stringify(stamped));
  return text !== undefined || isPlain(stamped)
    ? new StoredEntry(key, revision, bytes, stamped)
    : new StoredEntry(key, revision, bytes);
};
