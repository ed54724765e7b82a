import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { compileDecoder, type Decoder } from '@perigee/schema/structural/decode';
import { compileValidator, type Validator } from '@perigee/schema/validate/validate';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Entry } from '../store/store.ts';
import { VersionReader } from './version-reader.ts';

/** Functions from the schema of a resource, compiled once. */
export interface ObjectForm {
  readonly decode: Decoder;
  readonly validate: Validator;
  /** A stored object in the version of the resource; the very same object if nothing changes. */
  readonly read: (entry: Entry) => JsonObject;
  /** The same as JSON; usually the stored bytes, without parsing. */
  readonly bytesOf: (entry: Entry) => Buffer;
  /** Set if entries need a conversion before they can be read. */
  readonly versions?: VersionReader;
}

const forms = new WeakMap<ServedResource, ObjectForm>();

export const formOf = (resource: ServedResource): ObjectForm => {
  const cachedForm = forms.get(resource);
  if (cachedForm !== undefined) return cachedForm;
  const form = compile(resource);
  forms.set(resource, form);
  return form;
};

const compile = (resource: ServedResource): ObjectForm => {
  const { decode, validate } = lazily(resource);
  const apiVersion = apiVersionOf(resource);
  const inVersion = (object: JsonObject): JsonObject =>
    object.apiVersion === apiVersion && object.kind === resource.kind
      ? object
      : { ...object, apiVersion, kind: resource.kind };
  const bytesBy =
    (read: ObjectForm['read']) =>
    (entry: Entry): Buffer => {
      const object = read(entry);
      return object === entry.object ? entry.bytes : Buffer.from(JSON.stringify(object));
    };
  if (resource.versions !== undefined) {
    const versions = new VersionReader(resource, resource.versions);
    const { read } = versions;
    return { decode, validate, read, bytesOf: bytesBy(read), versions };
  }
  if (resource.conversion !== undefined) {
    const read = convertOnce(resource.conversion.fromStored);
    return { decode, validate, read, bytesOf: bytesBy(read) };
  }
  if (resource.origin === 'built-in') {
    const read = ({ object }: Entry): JsonObject => inVersion(object);
    const isStoredForm = apiVersionOf(resource.storage) === apiVersion;
    const bytesOf = isStoredForm ? (entry: Entry) => entry.bytes : bytesBy(read);
    return { decode, validate, read, bytesOf };
  }
  // The definition may be newer than the object: unknown fields are pruned, and defaults are added.
  const read = convertOnce(
    (storedObject) => decode(inVersion(storedObject), { knowsMetadata: true }).value,
  );
  return { decode, validate, read, bytesOf: bytesBy(read) };
};

/** Works out once what becomes of an object, as long as its entry keeps it: what is not used is forgotten. */
const convertOnce = (convert: (stored: JsonObject) => JsonObject): ObjectForm['read'] => {
  const convertedObjects = new WeakMap<JsonObject, JsonObject>();
  return ({ object: stored }) => {
    const cachedObject = convertedObjects.get(stored);
    if (cachedObject !== undefined) return cachedObject;
    const object = convert(stored);
    convertedObjects.set(stored, object);
    return object;
  };
};

/** Most kinds of a server are never used: compile them on first use. */
const lazily = ({ schema, origin }: ServedResource): Pick<ObjectForm, 'decode' | 'validate'> => {
  // Kubernetes accepts duplicate variables and ports: the rules of a built-in kind check uniqueness.
  const checksLists = origin === 'crd';
  let decoder: Decoder | undefined;
  let validator: Validator | undefined;
  return {
    decode: (input, options) => {
      decoder ??= compileDecoder(schema);
      return decoder(input, options);
    },
    validate: (value, old) => {
      validator ??= compileValidator(schema, { checksLists });
      return validator(value, old);
    },
  };
};
