import { availableParallelism } from 'node:os';
import { MoveError } from './errors.ts';

/** Threads that flush wait for the disk most of the time. Others compute, and more than cores are of no use. */
const threadsUnlessGiven = (flush: boolean): number =>
  Math.min(16, Math.max(flush ? 8 : 2, availableParallelism()));

/** A place in a file system of this machine: `path` is relative, and nothing outside `root` is reached. */
export interface LocalPlace {
  readonly kind: 'local';
  readonly root: string;
  readonly path: string;
}

/** Where a tree is or shall be. */
export type Place = LocalPlace;

/** What to move, and how. */
export interface Order {
  readonly from: Place;
  readonly to: Place;
  /** `copy` adds and replaces; `sync` also deletes what the source does not have. */
  readonly mode: 'copy' | 'sync';
  /** When a file counts as being there: by size and time, or by its bytes. */
  readonly compare: 'metadata' | 'content';
  /** Sockets, pipes and devices. */
  readonly special: 'refuse' | 'skip';
  /** Symbolic links that lead out of the tree. */
  readonly outsideLinks: 'refuse' | 'skip';
  readonly parallelism: number;
  /** Has every file on the disk before it gets its name. */
  readonly flush: boolean;
  /** Only tells what would be done. */
  readonly dryRun: boolean;
  readonly progressSeconds: number;
  /** A file that gets the last progress, and in the end the result. */
  readonly terminationMessage: string | undefined;
}

type Json = { readonly [field: string]: unknown };

const refuse = (what: string): never => {
  throw new MoveError('InvalidOrder', `the order is not valid: ${what}`);
};

const fieldsOf = (value: unknown, at: string, known: readonly string[]): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`${at} must be an object`);
  }
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    return refuse(`${at} has no field "${unknown}"; it has ${known.join(', ')}`);
  }
  return value as Json;
};

const oneOf = <T extends string>(fields: Json, field: string, choices: readonly [T, ...T[]]): T => {
  const value = fields[field] ?? choices[0];
  const found = choices.find((choice) => choice === value);
  return found ?? refuse(`${field} must be one of ${choices.join(', ')}`);
};

const flagOf = (fields: Json, field: string, byDefault: boolean): boolean => {
  const value = fields[field] ?? byDefault;
  return typeof value === 'boolean' ? value : refuse(`${field} must be true or false`);
};

const textOf = (value: unknown, at: string): string => {
  if (typeof value !== 'string') return refuse(`${at} must be text`);
  return value.includes('\0') ? refuse(`${at} must not hold a zero byte`) : value;
};

const numberOf = (
  fields: Json,
  field: string,
  { least, most, byDefault }: { least: number; most: number; byDefault: number },
): number => {
  const value = fields[field] ?? byDefault;
  return typeof value === 'number' && value >= least && value <= most
    ? value
    : refuse(`${field} must be a number from ${least} to ${most}`);
};

/** The steps of a relative path. One that climbs out is refused, whatever comes after. */
export const stepsOf = (path: string): readonly string[] => {
  if (path.startsWith('/')) {
    throw new MoveError('PathOutside', `path ${path} must be relative to its root`, path);
  }
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  if (steps.includes('..')) {
    throw new MoveError('PathOutside', `path ${path} climbs out of its root`, path);
  }
  return steps;
};

const placeOf = (value: unknown, at: string): Place => {
  const fields = fieldsOf(value, at, ['kind', 'root', 'path']);
  if (fields.kind !== 'local') return refuse(`${at}.kind must be local`);
  const root = textOf(fields.root, `${at}.root`);
  if (!root.startsWith('/')) return refuse(`${at}.root must be an absolute path`);
  const path = stepsOf(textOf(fields.path ?? '', `${at}.path`)).join('/');
  return { kind: 'local', root, path };
};

const FIELDS = [
  'from',
  'to',
  'mode',
  'compare',
  'special',
  'outsideLinks',
  'parallelism',
  'flush',
  'dryRun',
  'progressSeconds',
  'terminationMessage',
] as const satisfies readonly (keyof Order)[];

/** Reads an order, as it comes from whoever gives it. */
export const parseOrder = (text: string): Order => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(`it is not JSON: ${(error as Error).message}`);
  }
  const fields = fieldsOf(value, 'the order', FIELDS);
  const message = fields.terminationMessage;
  const flush = flagOf(fields, 'flush', true);
  const byDefault = threadsUnlessGiven(flush);
  const parallelism = numberOf(fields, 'parallelism', { least: 1, most: 64, byDefault });
  if (!Number.isInteger(parallelism)) return refuse('parallelism must be a whole number');
  return {
    from: placeOf(fields.from, 'from'),
    to: placeOf(fields.to, 'to'),
    mode: oneOf(fields, 'mode', ['copy', 'sync']),
    compare: oneOf(fields, 'compare', ['metadata', 'content']),
    special: oneOf(fields, 'special', ['refuse', 'skip']),
    outsideLinks: oneOf(fields, 'outsideLinks', ['refuse', 'skip']),
    parallelism,
    flush,
    dryRun: flagOf(fields, 'dryRun', false),
    progressSeconds: numberOf(fields, 'progressSeconds', { least: 0.05, most: 3600, byDefault: 1 }),
    terminationMessage: message === undefined ? undefined : textOf(message, 'terminationMessage'),
  };
};

/** The file that an order wants to be told in, also when the order is not valid otherwise. */
export const terminationMessageIn = (text: string): string | undefined => {
  try {
    const { terminationMessage } = JSON.parse(text) ?? {};
    return typeof terminationMessage === 'string' ? terminationMessage : undefined;
  } catch {
    return undefined;
  }
};
