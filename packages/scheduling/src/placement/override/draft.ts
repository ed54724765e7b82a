import { pointerWords } from '@perigee/api/values/identity-paths';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { OverrideError } from '../../errors.ts';

/** One operation of a JSON patch. */
export interface Edit {
  readonly operator: 'add' | 'remove' | 'replace';
  /** A JSON pointer, such as `/spec/replicas`. */
  readonly path: string;
  readonly value?: unknown;
}

type Fields = { [key: string]: JsonValue | undefined };

/** Bounds the overrides of an object, which a tenant may write by the thousand: to a second or two. */
const MOST_STEPS = 300_000;

const wordsOf = (path: string): readonly string[] => {
  if (path !== '' && !path.startsWith('/')) {
    throw new OverrideError(`the path ${path} does not begin with /`);
  }
  return pointerWords(path);
};

const isIndex = (word: string): boolean => /^(0|[1-9][0-9]*)$/.test(word);

const failMissing = (path: string): never => {
  throw new OverrideError(`there is nothing at ${path}`);
};

const childOf = (value: JsonValue | undefined, word: string): JsonValue | undefined => {
  if (Array.isArray(value)) return isIndex(word) ? value[Number(word)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, word) ? value[word] : undefined;
};

/** Defined, not assigned: a key such as `__proto__` is a field like any other. */
const setField = (fields: Fields, word: string, value: JsonValue): void => {
  Object.defineProperty(fields, word, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
};

const editList = (list: JsonValue[], word: string, { operator, path, value }: Edit): void => {
  const at = word === '-' && operator === 'add' ? list.length : Number(word);
  const isThere = isIndex(word) && at < list.length;
  if (operator === 'add' && (isThere || at === list.length)) {
    list.splice(at, 0, value as JsonValue);
  } else if (!isThere) failMissing(path);
  else if (operator === 'remove') list.splice(at, 1);
  else list[at] = value as JsonValue;
};

const editFields = (fields: Fields, word: string, { operator, path, value }: Edit): void => {
  if (operator !== 'add' && !Object.hasOwn(fields, word)) failMissing(path);
  if (operator === 'remove') delete fields[word];
  else setField(fields, word, value as JsonValue);
};

/**
 * A document that is edited. Each part of the original is copied once, when it is first changed, so that many edits
 * of a large document take no more time than its size and theirs.
 */
export class Draft {
  #value: JsonValue;
  #steps = 0;
  readonly #copies = new WeakSet<object>();

  constructor(value: JsonValue) {
    this.#value = value;
  }

  get value(): JsonValue {
    return this.#value;
  }

  /** Counts work done for this document; throws once it is too much. */
  count(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MOST_STEPS) {
      throw new OverrideError('the overrides of this object are too many, or too large');
    }
  }

  /** The value at a JSON pointer, if present. */
  read(path: string): JsonValue | undefined {
    return wordsOf(path).reduce(childOf, this.#value as JsonValue | undefined);
  }

  /** Applies one JSON Patch operation. */
  edit(edit: Edit): void {
    this.count(1);
    const words = wordsOf(edit.path);
    const last = words.at(-1);
    if (last === undefined) {
      if (edit.operator === 'remove') throw new OverrideError('a whole document cannot be removed');
      this.#value = edit.value as JsonValue;
      return;
    }
    const parent = this.#open(words.slice(0, -1), edit.path);
    if (Array.isArray(parent)) editList(parent, last, edit);
    else editFields(parent, last, edit);
  }

  /** The list or object at a place, with all that holds it copied. */
  #open(words: readonly string[], path: string): JsonValue[] | Fields {
    let place = this.#copyOf(this.#value, path);
    this.#value = place;
    for (const word of words) {
      const child = childOf(place, word);
      const copy = this.#copyOf(child, path);
      if (copy !== child && Array.isArray(place)) place[Number(word)] = copy;
      else if (copy !== child) setField(place as Fields, word, copy);
      place = copy;
    }
    return place;
  }

  #copyOf(value: JsonValue | undefined, path: string): JsonValue[] | Fields {
    if (typeof value !== 'object' || value === null) return failMissing(path);
    if (this.#copies.has(value)) return value as JsonValue[] | Fields;
    const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
    this.#copies.add(copy);
    return copy;
  }
}
