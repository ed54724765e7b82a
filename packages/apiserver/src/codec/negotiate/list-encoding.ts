import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { type Encoding, encodeReply } from './encode-reply.ts';

/** Encodes a long list in pieces: together they equal the result of `encodeReply` for the whole. */
export interface ListEncoding {
  readonly start: string;
  readonly end: string;
  readonly separator: string;
  /** Some of the items, at least one, with neither a separator before nor after them. */
  items(items: readonly JsonValue[]): string;
}

const COMPACT: Encoding = { encoding: 'json', isPretty: false };

const compact = (head: JsonObject, field: string): ListEncoding => ({
  start: `${encodeReply(head, COMPACT).slice(0, -2)},"${field}":[`,
  end: ']}\n',
  separator: ',',
  items: (items) => JSON.stringify(items).slice(1, -1),
});

/** The indented form of the brackets around items that are two levels deep, as in a list. */
const OUTER_START = '[\n  [\n'.length;
const OUTER_END = '\n  ]\n]'.length;

const pretty = (head: JsonObject, field: string): ListEncoding => ({
  start: `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "${field}": [\n`,
  end: '\n  ]\n}',
  separator: ',\n',
  items: (items) => JSON.stringify([items], null, 2).slice(OUTER_START, -OUTER_END),
});

/** Keys are in order, so that some of the head may come after the items. */
const yaml = (head: JsonObject, field: string, encoding: Encoding): ListEncoding => {
  const part = (isHere: (name: string) => boolean): string => {
    const fields = Object.entries(head).filter(([name]) => isHere(name));
    return fields.length === 0 ? '' : encodeReply(Object.fromEntries(fields), encoding);
  };
  return {
    start: `${part((name) => name < field)}${field}:\n`,
    end: part((name) => name > field),
    separator: '',
    items: (items) => encodeReply(items, encoding),
  };
};

/** The encoding of a list whose `field`, not part of the head, holds at least one item. */
export const listEncoding = (head: JsonObject, field: string, encoding: Encoding): ListEncoding => {
  if (encoding.encoding === 'yaml') return yaml(head, field, encoding);
  return encoding.isPretty ? pretty(head, field) : compact(head, field);
};
