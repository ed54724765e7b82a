import { fieldsOf, type Json, numberOf, refuse, textOf } from '../order-fields.ts';
import { type LocalPlace, placeOf } from '../place.ts';

/** Trees to serve to other movers, and the clients that may read them. */
export interface ServeOrder {
  /** Each is found under its number. */
  readonly trees: readonly LocalPlace[];
  readonly keyFile: string;
  readonly certificateFile: string;
  /** SHA-256 of the token of each mover that may copy. */
  readonly tokens: readonly string[];
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** For all of them together; no limit when it is left out. */
  readonly bytesPerSecond: number | undefined;
  readonly terminationMessage: string | undefined;
}

const FIELDS = [
  'trees',
  'keyFile',
  'certificateFile',
  'tokens',
  'host',
  'port',
  'bytesPerSecond',
] as const satisfies readonly (keyof ServeOrder)[];

const MOST_TREES = 16;

const listOf = (fields: Json, field: string): readonly unknown[] => {
  const value = fields[field];
  const isList = Array.isArray(value) && value.length > 0;
  return isList ? value : refuse(`serve.${field} must be a list with something in it`);
};

const treeOf = (value: unknown, at: string): LocalPlace => {
  const place = placeOf(value, at);
  return place.kind === 'local' ? place : refuse(`${at}.kind must be local`);
};

/** The parsed text of an order to serve; nothing for one to copy. */
export const serveOrderIn = (text: string): ServeOrder | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('serve' in value)) return undefined;
  const { serve, terminationMessage } = fieldsOf(value, 'the order', [
    'serve',
    'terminationMessage',
  ]);
  const fields = fieldsOf(serve, 'serve', FIELDS);
  const trees = listOf(fields, 'trees').map((one, at) => treeOf(one, `serve.trees[${at}]`));
  if (trees.length > MOST_TREES) return refuse(`at most ${MOST_TREES} trees can be served`);
  const tokens = listOf(fields, 'tokens').map((one, at) => textOf(one, `serve.tokens[${at}]`));
  if (!tokens.every((one) => /^[0-9a-f]{64}$/.test(one))) {
    return refuse('serve.tokens must be SHA-256 in hexadecimal digits');
  }
  const limit = { least: 1, most: Number.MAX_SAFE_INTEGER, byDefault: Number.MAX_SAFE_INTEGER };
  return {
    trees,
    tokens,
    keyFile: textOf(fields.keyFile, 'serve.keyFile'),
    certificateFile: textOf(fields.certificateFile, 'serve.certificateFile'),
    host: textOf(fields.host ?? '127.0.0.1', 'serve.host'),
    port: numberOf(fields, 'port', { least: 0, most: 65_535, byDefault: 0 }),
    bytesPerSecond:
      fields.bytesPerSecond === undefined ? undefined : numberOf(fields, 'bytesPerSecond', limit),
    terminationMessage:
      terminationMessage === undefined
        ? undefined
        : textOf(terminationMessage, 'terminationMessage'),
  };
};
