import { elementsOf, type FieldSet, isEmptySet, LEAF } from '@perigee/kubernetes/meta/field-set';
import { parseExactJson } from '@perigee/schema/exact-json';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { fitToType } from './fit-to-type.ts';
import { keyElement, valueElement } from './path-element.ts';
import type { ValueType } from './value-type.ts';

/** A manager and its fields: a parsed entry of `metadata.managedFields`. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The owners by their identity. */
export type FieldOwners = ReadonlyMap<string, FieldOwner>;

/** Not valid in names of managers; entries of users with it only conflict with each other. */
const SEPARATOR = '\n';

/** An applier stays the same when it moves on to another version of the API; an updater does not. */
export const identityOf = ({
  manager,
  operation,
  apiVersion,
  subresource = '',
}: Pick<FieldOwner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string =>
  [manager, operation, operation === 'Apply' ? '' : apiVersion, subresource].join(SEPARATOR);

const canonicalElement = (element: string): string | undefined => {
  const content = element.slice(2);
  if (element.startsWith('f:')) return element;
  if (element.startsWith('v:')) return valueElement(parseExactJson(content));
  if (element.startsWith('i:')) return `i:${Number.parseInt(content, 10)}`;
  if (!element.startsWith('k:')) return undefined;
  const keys = parseExactJson(content) as JsonObject;
  const names = Object.keys(keys).sort();
  return keyElement(names.map((name) => [name, keys[name] ?? null]));
};

const readNode = (value: JsonObject): FieldSet => {
  const node = readSet(value);
  return elementsOf(node).length === 0 ? LEAF : node;
};

/** Reads a set from an untrusted object; elements of unknown types are left out. */
const readSet = (value: JsonObject): FieldSet => {
  const set: { [element: string]: FieldSet } = {};
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (key === '.') set[key] = LEAF;
    else if (isJsonObject(child)) {
      const element = canonicalElement(key);
      if (element !== undefined) set[element] = readNode(child);
    } else throw new SyntaxError(`${key} leads to no object`);
  }
  return set;
};

/** The set with its elements sorted; the same reference if they are. */
const sortSet = (set: FieldSet): FieldSet => {
  let isInOrder = true;
  let previous = '';
  let orderedSet: { [element: string]: FieldSet } | undefined;
  for (const element in set) {
    const node = set[element] as FieldSet;
    isInOrder &&= element >= previous;
    previous = element;
    const orderedNode = node === LEAF ? node : sortSet(node);
    if (orderedNode === node) continue;
    orderedSet ??= { ...set };
    orderedSet[element] = orderedNode;
  }
  const result = orderedSet ?? set;
  if (isInOrder) return result;
  const sortedSet: { [element: string]: FieldSet } = {};
  for (const element of Object.keys(result).sort()) sortedSet[element] = result[element] ?? LEAF;
  return sortedSet;
};

/** Sets that are in order already: those of all entries that were read or written. */
const setsInOrder = new WeakSet<FieldSet>();

const writeSet = (set: FieldSet): FieldSet => {
  if (setsInOrder.has(set)) return set;
  const result = sortSet(set);
  setsInOrder.add(result);
  return result;
};

/** Cache of parsed and written entries: most writes keep most entries. */
const ownersByEntry = new WeakMap<JsonObject, FieldOwner>();
const entriesByOwner = new WeakMap<FieldOwner, JsonObject>();

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const readEntry = (entry: JsonValue): FieldOwner => {
  if (!isJsonObject(entry)) throw new SyntaxError('an entry must be an object');
  const cachedOwner = ownersByEntry.get(entry);
  if (cachedOwner !== undefined) return cachedOwner;
  const { operation, fieldsType, fieldsV1 = {} } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new SyntaxError('operation must be `Apply` or `Update`');
  }
  if (text(entry.apiVersion) === '') throw new SyntaxError('apiVersion must not be empty');
  if (fieldsType !== 'FieldsV1') throw new SyntaxError('fieldsType must be `FieldsV1`');
  const owner: FieldOwner = {
    manager: text(entry.manager),
    operation,
    apiVersion: text(entry.apiVersion),
    subresource: text(entry.subresource) || undefined,
    time: text(entry.time) || undefined,
    fields: writeSet(readSet(isJsonObject(fieldsV1) ? fieldsV1 : {})),
  };
  ownersByEntry.set(entry, owner);
  entriesByOwner.set(owner, entry);
  return owner;
};

/**
 * Reads `metadata.managedFields`; throws a `SyntaxError` when it is malformed. The fields are of the type,
 * unless another is known for the version of an entry.
 */
export const readOwners = (
  entries: JsonValue | undefined,
  type: ValueType,
  typeOf?: (apiVersion: string) => ValueType | undefined,
): FieldOwners => {
  const owners = new Map<string, FieldOwner>();
  for (const entry of Array.isArray(entries) ? (entries as JsonArray) : []) {
    const owner = readEntry(entry);
    const fields = fitToType(owner.fields, typeOf?.(owner.apiVersion) ?? type);
    owners.set(identityOf(owner), fields === owner.fields ? owner : { ...owner, fields });
  }
  return owners;
};

const writeEntry = (owner: FieldOwner): JsonObject => {
  const cachedEntry = entriesByOwner.get(owner);
  if (cachedEntry !== undefined) return cachedEntry;
  const { manager, operation, apiVersion, subresource, time } = owner;
  const fields = writeSet(owner.fields);
  const entry: JsonObject = {
    manager,
    operation,
    apiVersion,
    ...present({ time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...present({ subresource }),
  };
  const canonicalOwner = { ...owner, fields };
  ownersByEntry.set(entry, canonicalOwner);
  entriesByOwner.set(canonicalOwner, entry);
  return entry;
};

/** Time of an owner in seconds; 0 if it is unknown. */
export const secondsOf = ({ time }: FieldOwner): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const compareOwners = (a: FieldOwner, b: FieldOwner): number =>
  compareText(a.operation, b.operation) ||
  secondsOf(a) - secondsOf(b) ||
  compareText(a.manager, b.manager) ||
  compareText(a.apiVersion, b.apiVersion) ||
  compareText(a.subresource ?? '', b.subresource ?? '');

/** Writes `metadata.managedFields`: appliers first, then by time. */
export const writeOwners = (owners: FieldOwners): readonly JsonObject[] =>
  [...owners.values()].sort(compareOwners).map(writeEntry);

/** The owner with other fields; undefined when it would own nothing. */
export const withFields = (owner: FieldOwner, fields: FieldSet): FieldOwner | undefined => {
  if (fields === owner.fields) return owner;
  return isEmptySet(fields) ? undefined : { ...owner, fields };
};
