import type { JsonValue } from '@perigee/schema/json';

type Mutable = { [key: string]: JsonValue };

/** A line with content: its indentation, and its text. */
interface Line {
  readonly indent: number;
  readonly text: string;
}

const ENTRY = /^([A-Za-z_][A-Za-z0-9_./-]*):(?: +(.*))?$/s;
const QUOTED = /^"([^"\\]*)"$|^'([^']*)'$/;
/** Text that can be nothing but itself: no punctuation that YAML gives a meaning, and no number. */
const PLAIN = /^[A-Za-z/_][A-Za-z0-9 ._/@:+=~,()-]*$/;
/** Looks like text, but is not, or may not be. */
const SPECIAL = /^(null|true|false|y|n|yes|no|on|off)$|: |:$| $/i;
const NOT_READ = Symbol('not read');

const linesOf = (text: string): readonly Line[] =>
  text
    .split(/\r?\n/)
    .filter((line) => !/^\s*(#.*)?$/.test(line))
    .map((line) => {
      const [, indent = '', text = ''] = /^( *)(.*)$/s.exec(line) ?? [];
      return { indent: indent.length, text };
    });

const scalar = (text: string): JsonValue => {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  if (PLAIN.test(text) && !SPECIAL.test(text)) return text;
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (text === '{}') return {};
  if (text === '[]') return [];
  throw NOT_READ;
};

class PlainReader {
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  document(): JsonValue {
    if (this.#next?.text === '---' && this.#next.indent === 0) this.#at += 1;
    const value = this.#block(this.#next?.indent ?? 0);
    if (this.#next !== undefined) throw NOT_READ;
    return value;
  }

  get #next(): Line | undefined {
    return this.#lines[this.#at];
  }

  #block(indent: number): JsonValue {
    return this.#next?.text.startsWith('- ') ? this.#sequence(indent) : this.#mapping(indent);
  }

  #sequence(indent: number): JsonValue {
    const items: JsonValue[] = [];
    for (let line = this.#next; line?.indent === indent; line = this.#next) {
      const [, gap = '', rest = ''] = /^-( +)(.*)$/s.exec(line.text) ?? [];
      if (gap === '') break;
      if (ENTRY.test(rest)) items.push(this.#mapping(indent + 1 + gap.length, rest));
      else {
        this.#at += 1;
        items.push(scalar(rest));
      }
    }
    return items;
  }

  /** The first entry may stand behind the dash of a sequence. */
  #mapping(indent: number, first?: string): JsonValue {
    const entries: Mutable = {};
    for (
      let text = first ?? this.#entryAt(indent);
      text !== undefined;
      text = this.#entryAt(indent)
    ) {
      const [, key, value] = ENTRY.exec(text) ?? [];
      if (key === undefined || key in entries) throw NOT_READ;
      this.#at += 1;
      entries[key] = value === undefined || value === '' ? this.#nested(indent) : scalar(value);
    }
    return entries;
  }

  #entryAt(indent: number): string | undefined {
    const line = this.#next;
    return line?.indent === indent && !line.text.startsWith('- ') ? line.text : undefined;
  }

  /** A sequence may stand as far out as the key that it belongs to. */
  #nested(indent: number): JsonValue {
    const line = this.#next;
    if (line === undefined || line.indent < indent) return null;
    if (line.indent > indent) return this.#block(line.indent);
    return line.text.startsWith('- ') ? this.#sequence(indent) : null;
  }
}

/**
 * Reads the plain YAML in which programs write kubeconfigs: nested lists and mappings of short texts.
 * Undefined for everything else, which is left to a parser that knows all of YAML and takes several times
 * as long to load as a question takes to answer.
 */
export const readPlainYaml = (text: string): JsonValue | undefined => {
  try {
    return new PlainReader(linesOf(text)).document();
  } catch (error) {
    if (error === NOT_READ) return undefined;
    throw error;
  }
};
