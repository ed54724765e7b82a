import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { DeferredError } from '../errors.ts';
import type { KindVersions } from '../resource/kind-versions.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { unexpectedError } from '../status/server-refusals.ts';
import type { Entry } from '../store/store.ts';
import { convertedByWebhook } from './answers.ts';

const inAll = (schemas: { readonly [name: string]: StructuralSchema }) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));

/** The schema without its defaults. */
const bare = ({ default: _, ...schema }: StructuralSchema): StructuralSchema => ({
  ...schema,
  ...present({
    properties: schema.properties && inAll(schema.properties),
    items: schema.items && bare(schema.items),
  }),
  ...(typeof schema.additionalProperties === 'object'
    ? { additionalProperties: bare(schema.additionalProperties) }
    : {}),
});

/** Drops what the schema does not know, and fills in nothing: an object that was converted is complete. */
const pruneOnly = (schema: StructuralSchema): ((object: JsonObject) => JsonObject) => {
  const decode = compileDecoder(bare(schema));
  return (object) => decode(object).value;
};

type Shape = (object: JsonObject) => JsonObject;

/** Compiles what is made of the schema of each version, on first use. */
const byVersion = (
  { schemas }: KindVersions,
  direction: 'from' | 'to',
  compile: (schema: StructuralSchema) => Shape,
): ((apiVersion: unknown) => Shape) => {
  const shapes = new Map<unknown, Shape>();
  return (apiVersion) => {
    const cachedShape = shapes.get(apiVersion);
    if (cachedShape !== undefined) return cachedShape;
    const schema = schemas.get(String(apiVersion));
    if (schema === undefined) {
      throw unexpectedError(
        `request to convert CR ${direction} an invalid group/version: ${apiVersion}`,
      );
    }
    const shape = compile(schema);
    shapes.set(apiVersion, shape);
    return shape;
  };
};

/**
 * Reads stored objects in the version of a resource. Conversion is asynchronous, so it runs before; an early read
 * throws a `DeferredError`.
 */
export class VersionReader {
  readonly #versions: KindVersions;
  readonly #apiVersion: string;
  readonly #storageVersion: string;
  readonly #complete: (apiVersion: unknown) => Shape;
  readonly #prune: (apiVersion: unknown) => Shape;
  readonly #cache = new WeakMap<Entry, JsonObject>();
  readonly #underWay = new WeakMap<Entry, Promise<void>>();

  constructor(resource: ServedResource, versions: KindVersions) {
    this.#versions = versions;
    this.#apiVersion = apiVersionOf(resource);
    this.#storageVersion = apiVersionOf(resource.storage);
    // Defaults are those of the version in which an object was stored: a conversion sees it complete.
    this.#complete = byVersion(versions, 'from', (schema) => {
      const decode = compileDecoder(schema);
      return (object) => decode(object).value;
    });
    this.#prune = byVersion(versions, 'to', pruneOnly);
  }

  read = (entry: Entry): JsonObject => {
    const cachedObject = this.#cache.get(entry);
    if (cachedObject !== undefined) return cachedObject;
    const { object } = entry;
    if (object.apiVersion !== this.#apiVersion) {
      throw new DeferredError(() => this.convert([entry]));
    }
    const complete = this.#complete(object.apiVersion)(object);
    this.#cache.set(entry, complete);
    return complete;
  };

  /** Converts entries for later reads. Finished and pending conversions are reused, unless a new one is requested. */
  async convert(entries: readonly Entry[], isAnew = false): Promise<void> {
    const fresh = new Set<Entry>();
    const waitedFor = new Set<Promise<void>>();
    for (const entry of entries) {
      if (entry.object.apiVersion === this.#apiVersion) continue;
      const underWay = isAnew ? undefined : this.#underWay.get(entry);
      if (underWay !== undefined) waitedFor.add(underWay);
      else if (isAnew || !this.#cache.has(entry)) fresh.add(entry);
    }
    if (fresh.size > 0) waitedFor.add(this.#convertEntries([...fresh]));
    await Promise.all(waitedFor);
  }

  #convertEntries(entries: readonly Entry[]): Promise<void> {
    const work = async (): Promise<void> => {
      const storedObjects = entries.map(({ object }) => this.#complete(object.apiVersion)(object));
      const convertedObjects = await this.#convert(storedObjects, this.#apiVersion);
      for (const [at, entry] of entries.entries())
        this.#cache.set(entry, convertedObjects[at] ?? {});
    };
    const conversion = work().finally(() => {
      for (const entry of entries) this.#underWay.delete(entry);
    });
    for (const entry of entries) this.#underWay.set(entry, conversion);
    return conversion;
  }

  /** The object in the version in which all objects of its kind are stored. */
  async toStorage(object: JsonObject): Promise<JsonObject> {
    const [stored = object] = await this.#convert([object], this.#storageVersion);
    return stored;
  }

  /** A stored object, or one that would be stored, in the version of the resource. */
  async fromStorage(stored: JsonObject): Promise<JsonObject> {
    const complete = this.#complete(stored.apiVersion)(stored);
    const [object = complete] = await this.#convert([complete], this.#apiVersion);
    return object;
  }

  get schemas(): KindVersions['schemas'] {
    return this.#versions.schemas;
  }

  /** The object in another version; undefined when there is none, or outside of a write. */
  toVersion = (object: JsonObject, apiVersion: string): JsonObject | undefined => {
    if (object.apiVersion === apiVersion) return object;
    if (!this.#versions.schemas.has(apiVersion)) return undefined;
    return convertedByWebhook(object, apiVersion, async () => {
      const [converted = object] = await this.#convert([object], apiVersion);
      return converted;
    });
  };

  async #convert(
    objects: readonly JsonObject[],
    apiVersion: string,
  ): Promise<readonly JsonObject[]> {
    const prune = this.#prune(apiVersion);
    return (await this.#versions.convert(objects, apiVersion)).map(prune);
  }
}
