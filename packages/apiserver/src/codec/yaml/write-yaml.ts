import type { JsonArray, JsonObject, JsonValue } from '@perigee/schema/json';
import { RecentMap } from '@perigee/schema/recent-map';
import { isPlainTime } from '@perigee/schema/values/time';
import { stringify } from 'yaml';

/** YAML has its keys in order, as Kubernetes writes it. */
const slowly = (value: JsonValue): string =>
  stringify(value, {
    version: '1.1',
    aliasDuplicateObjects: false,
    indentSeq: false,
    sortMapEntries: true,
  });

/** Texts of which nothing has to be quoted, and which no YAML takes for anything else. */
const WORDS = /^[A-Za-z/](?:[\w./=@+:-]*\w)?(?: [\w./=@+-]*\w)*$/;
const OTHER_MEANING = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
/** No line of this length is broken. */
const LONGEST_LINE = 70;
const MOST_TEXTS = 10_000;

const isPlain = (text: string): boolean =>
  (WORDS.test(text) && !OTHER_MEANING.test(text)) || UUID.test(text);

/** Cache of the library's output for short texts, which repeat often. */
class ShortTexts {
  readonly #cache = new RecentMap<string, string>(MOST_TEXTS);
  readonly #write: (text: string) => string;

  constructor(write: (text: string) => string) {
    this.#write = write;
  }

  /** Undefined for what takes more than a line. */
  get(text: string): string | undefined {
    if (text.length <= LONGEST_LINE && isPlain(text)) return text;
    const cachedText = this.#cache.get(text);
    if (cachedText !== undefined) return cachedText;
    const yamlText = this.#write(text);
    if (yamlText.length > LONGEST_LINE || yamlText.includes('\n') || yamlText.startsWith('?')) {
      return undefined;
    }
    this.#cache.set(text, yamlText);
    return yamlText;
  }
}

const keys = new ShortTexts((key) => slowly({ [key]: 0 }).slice(0, -': 0\n'.length));
const values = new ShortTexts((value) => slowly({ a: value }).slice('a: '.length, -'\n'.length));

/** Thrown for what is left to the library as a whole. */
const UNUSUAL = new Error('an unusual key');
/** Nesting limit: beyond it, the text would be mostly indentation. */
const MOST_LEVELS = 100;

/** Output of the library for a part of a document, indented by the number of levels above it. */
const inPlace = (part: JsonValue, levels: number): string => {
  let document = part;
  for (let level = 0; level < levels; level++) document = { a: document };
  const text = slowly(document);
  let start = 0;
  for (let level = 0; level < levels; level++) start = text.indexOf('\n', start) + 1;
  return text.slice(start);
};

const isContainer = (value: JsonValue): value is JsonArray | JsonObject =>
  typeof value === 'object' && value !== null;

const isEmpty = (value: JsonArray | JsonObject): boolean =>
  (Array.isArray(value) ? value.length : Object.keys(value).length) === 0;

const nestsDeeper = (value: JsonValue | undefined, levels: number): boolean =>
  value !== undefined &&
  isContainer(value) &&
  (levels === 0 || Object.values(value).some((part) => nestsDeeper(part, levels - 1)));

/** A value on the line that is begun; undefined when that is not so simple. */
const onLine = (value: JsonValue, before: number): string | undefined => {
  if (typeof value === 'string') {
    if (isPlainTime(value)) return `"${value}"`;
    if (!value.includes(' ') && isPlain(value)) return value;
    const room = LONGEST_LINE - before;
    const short = value.length < room ? values.get(value) : undefined;
    return short !== undefined && short.length < room ? short : undefined;
  }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : undefined;
  }
  if (typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (isContainer(value) && isEmpty(value)) return Array.isArray(value) ? '[]' : '{}';
  return undefined;
};

class Writer {
  text = '';

  /** Writes a container; what stands before its first line is written already. */
  write(value: JsonArray | JsonObject, level: number): void {
    if (Array.isArray(value)) this.#list(value, level);
    else this.#map(value as JsonObject, level);
  }

  #list(list: JsonArray, level: number): void {
    const indent = '  '.repeat(level);
    for (let index = 0; index < list.length; index++) {
      const item = list[index] ?? null;
      if (index > 0) this.text += indent;
      const simple = onLine(item, indent.length + 2);
      if (simple !== undefined) this.text += `- ${simple}\n`;
      else if (isContainer(item)) {
        this.text += '- ';
        this.write(item, level + 1);
      } else this.#slowly([item], level === 0 ? 0 : level + 1, indent.length);
    }
  }

  #map(map: JsonObject, level: number): void {
    const indent = '  '.repeat(level);
    let isFirst = true;
    for (const key of Object.keys(map).sort()) {
      const value = map[key];
      if (value === undefined) continue;
      const name = keys.get(key);
      if (name === undefined) throw UNUSUAL;
      if (!isFirst) this.text += indent;
      isFirst = false;
      const simple = onLine(value, indent.length + name.length + 2);
      if (simple !== undefined) this.text += `${name}: ${simple}\n`;
      else if (isContainer(value)) {
        const isList = Array.isArray(value);
        this.text += isList ? `${name}:\n${indent}` : `${name}:\n${indent}  `;
        this.write(value, isList ? level : level + 1);
      } else this.#slowly({ [key]: value }, level, indent.length);
    }
  }

  /** Writes one entry with the library. Its indent is written already. */
  #slowly(entry: JsonValue, levels: number, indent: number): void {
    this.text += inPlace(entry, levels).slice(indent);
  }
}

/**
 * A value as YAML, with the same output as the library, which takes many times as long: it is called only for texts
 * that need quotes or line breaks. Deep nesting, which would be mostly indentation, is written as JSON, a subset of
 * YAML.
 */
export const writeYaml = (value: JsonValue): string => {
  if (!isContainer(value) || isEmpty(value)) return slowly(value);
  if (nestsDeeper(value, MOST_LEVELS)) return `${JSON.stringify(value)}\n`;
  const writer = new Writer();
  try {
    writer.write(value, 0);
  } catch (error) {
    if (error !== UNUSUAL) throw error;
    return slowly(value);
  }
  return writer.text;
};
