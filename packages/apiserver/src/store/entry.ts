import { isJsonObject, type JsonObject } from '@perigee/api/json';
import type { Entry } from './store.ts';

/** An entry that keeps bytes, and parses them only when somebody looks into the object. */
export class StoredEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer;
  #object: JsonObject | undefined;

  constructor(key: string, revision: number, bytes: Buffer) {
    this.key = key;
    this.revision = revision;
    this.bytes = bytes;
  }

  get object(): JsonObject {
    this.#object ??= JSON.parse(this.bytes.toString()) as JsonObject;
    return this.#object;
  }
}

/**
 * A buffer with memory of its own. Node cuts small buffers out of shared slabs, and one object that
 * lives long would keep the whole slab of its short-lived neighbours.
 */
const bytesOf = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
};

/** The entry that a write makes of an object: its resource version becomes the revision. */
export const entryOf = (key: string, revision: number, object: JsonObject): Entry => {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const stamped = { ...object, metadata: { ...metadata, resourceVersion: String(revision) } };
  return new StoredEntry(key, revision, bytesOf(JSON.stringify(stamped)));
};
