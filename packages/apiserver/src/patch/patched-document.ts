import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { type MutableObject, ownField, setField } from './own-field.ts';

type Container = JsonValue[] | MutableObject;

/** Target of a path: the container of the last key, and that key. */
export interface Place {
  readonly container: Container;
  readonly key: string;
}

/** A value that was found (undefined: no such field), or why it could not be looked up. */
export type Found = { readonly value: JsonValue | undefined } | { readonly problem: string };

const isContainer = (value: JsonValue | undefined): value is readonly JsonValue[] | JsonObject =>
  typeof value === 'object' && value !== null;

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

const notAnIndex = (key: string): string =>
  `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;

const parseIndex = (key: string): number | undefined =>
  /^[+-]?[0-9]{1,15}$/.test(key) ? Number(key) : undefined;

/** The position an index names, counted from the end when negative; undefined outside of the list. */
const position = (index: number, length: number): number | undefined => {
  const at = index < 0 ? index + length : index;
  return at >= 0 && at < length ? at : undefined;
};

const invalidIndex = (index: number): string =>
  `Unable to access invalid index: ${index}: invalid index referenced`;

/** The value at `key`. */
export const lookUp = ({ container, key }: Place): Found => {
  if (!Array.isArray(container)) return { value: ownField(container, key) };
  const index = parseIndex(key);
  if (index === undefined) return { problem: notAnIndex(key) };
  const at = position(index, container.length);
  return at === undefined ? { problem: invalidIndex(index) } : { value: container[at] };
};

/** Adds a field, or inserts a list item before the one at the index. Returns why it cannot. */
export const addAt = ({ container, key }: Place, value: JsonValue): string | undefined => {
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return undefined;
  }
  if (key === '-') {
    container.push(value);
    return undefined;
  }
  const index = parseIndex(key);
  if (index === undefined) {
    return `value was not a proper array index: '${key}': ${notAnIndex(key)}`;
  }
  const at = position(index, container.length + 1);
  if (at === undefined) return invalidIndex(index);
  container.splice(at, 0, value);
  return undefined;
};

/** Puts a value in the place of the one that is there; a field may be new, a list item may not. */
export const setAt = ({ container, key }: Place, value: JsonValue): void => {
  if (Array.isArray(container)) {
    const at = position(Number(key), container.length);
    if (at !== undefined) container[at] = value;
  } else setField(container, key, value);
};

/** Removes a field or list item. Returns why it cannot. */
export const removeAt = ({ container, key }: Place): string | undefined => {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) {
      return `Unable to remove nonexistent key: ${key}: missing value`;
    }
    delete container[key];
    return undefined;
  }
  const index = parseIndex(key);
  if (index === undefined) return notAnIndex(key);
  const at = position(index, container.length);
  if (at === undefined) return invalidIndex(index);
  container.splice(at, 1);
  return undefined;
};

/** A document that a patch changes in place, while the one it began with stays as it was. */
export class PatchedDocument {
  #root: JsonValue;
  /** Copies made by this patch: they may be changed, everything else is shared with others. */
  readonly #own = new Set<object>();

  constructor(root: JsonValue) {
    this.#root = root;
  }

  get root(): JsonValue {
    return this.#root;
  }

  set root(value: JsonValue) {
    this.#root = value;
  }

  /** The place for reading only. */
  find(path: string): Place | undefined {
    return this.#walk(path, false);
  }

  /** The place in a container that may be changed. */
  open(path: string): Place | undefined {
    return this.#walk(path, true);
  }

  #walk(path: string, writable: boolean): Place | undefined {
    const tokens = path.split('/');
    const last = tokens.pop();
    if (last === undefined || tokens.length === 0 || !isContainer(this.#root)) return undefined;
    let container = this.#root as Container;
    if (writable) this.#root = container = this.#owned(container);
    for (const token of tokens.slice(1)) {
      const place = { container, key: unescapeToken(token) };
      const lookup = lookUp(place);
      if ('problem' in lookup || !isContainer(lookup.value)) return undefined;
      let next = lookup.value as Container;
      if (writable) {
        next = this.#owned(next);
        setAt(place, next);
      }
      container = next;
    }
    return { container, key: unescapeToken(last) };
  }

  #owned(container: Container): Container {
    if (this.#own.has(container)) return container;
    const copy: Container = Array.isArray(container) ? [...container] : { ...container };
    this.#own.add(copy);
    return copy;
  }
}
