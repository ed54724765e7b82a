import { availableParallelism } from 'node:os';
import { fieldsOf, flagOf, numberOf, oneOf, refuse, textOf } from './order-fields.ts';
import {
  ownPlaceOf,
  type Place,
  placeOf,
  type RclonePlace,
  type TargetPlace,
  targetPlaceOf,
} from './place.ts';

/** Threads that flush wait for the disk most of the time. Others compute, and more than cores are of no use. */
const threadsUnlessGiven = (flush: boolean): number =>
  Math.min(16, Math.max(flush ? 8 : 2, availableParallelism()));

/** More than anybody deletes by a mistake that he would want to make good by hand. */
const MOST_DELETIONS = 1000;

/** A move: its source, its target and its options. */
export interface Order {
  readonly from: Place | RclonePlace;
  readonly to: TargetPlace | RclonePlace;
  /** `copy` adds and replaces; `sync` also deletes what the source does not have. */
  readonly mode: 'copy' | 'sync';
  /** A sync that would delete more is refused before it begins. */
  readonly mostDeletions: number;
  /** When a file counts as being there: by size and time, or by its bytes. */
  readonly compare: 'metadata' | 'content';
  /** Sockets, pipes and devices. */
  readonly special: 'refuse' | 'skip';
  /** Symbolic links that lead out of the tree. */
  readonly outsideLinks: 'refuse' | 'skip';
  readonly parallelism: number;
  /** Has every file on the disk before it gets its name. */
  readonly flush: boolean;
  /** A dry run. */
  readonly dryRun: boolean;
  readonly progressSeconds: number;
  /** Place of the record of the copy, and the description that goes into it. */
  readonly manifest: { readonly place: TargetPlace; readonly about: unknown } | undefined;
  /** A record that the copy must agree with before it counts. */
  readonly verifiedBy: Place | undefined;
  /** A file that gets the last progress, and in the end the result. */
  readonly terminationMessage: string | undefined;
}

const FIELDS = [
  'from',
  'to',
  'mode',
  'mostDeletions',
  'compare',
  'special',
  'outsideLinks',
  'parallelism',
  'flush',
  'dryRun',
  'progressSeconds',
  'manifest',
  'verifiedBy',
  'terminationMessage',
] as const satisfies readonly (keyof Order)[];

const manifestOf = (value: unknown): Order['manifest'] => {
  if (value === undefined) return undefined;
  const fields = fieldsOf(value, 'manifest', ['place', 'about']);
  return { place: targetPlaceOf(fields.place, 'manifest.place'), about: fields.about ?? {} };
};

/** Parses an order, which is input from outside. */
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
  const to = placeOf(fields.to, 'to');
  // Threads that write to a bucket have several objects under way each, and flush nothing.
  const byDefault = threadsUnlessGiven(flush && to.kind !== 's3');
  const parallelism = numberOf(fields, 'parallelism', { least: 1, most: 64, byDefault });
  if (!Number.isInteger(parallelism)) return refuse('parallelism must be a whole number');
  if (to.kind === 'http' || to.kind === 'peer') {
    return refuse('to: a web server, or another mover, can only be read');
  }
  return {
    from: placeOf(fields.from, 'from'),
    to,
    mode: oneOf(fields, 'mode', ['copy', 'sync']),
    mostDeletions: numberOf(fields, 'mostDeletions', {
      least: 0,
      most: Number.MAX_SAFE_INTEGER,
      byDefault: MOST_DELETIONS,
    }),
    compare: oneOf(fields, 'compare', ['metadata', 'content']),
    special: oneOf(fields, 'special', ['refuse', 'skip']),
    outsideLinks: oneOf(fields, 'outsideLinks', ['refuse', 'skip']),
    parallelism,
    flush,
    dryRun: flagOf(fields, 'dryRun', false),
    progressSeconds: numberOf(fields, 'progressSeconds', { least: 0.05, most: 3600, byDefault: 1 }),
    manifest: manifestOf(fields.manifest),
    verifiedBy:
      fields.verifiedBy === undefined ? undefined : ownPlaceOf(fields.verifiedBy, 'verifiedBy'),
    terminationMessage: message === undefined ? undefined : textOf(message, 'terminationMessage'),
  };
};

/** The file for the report of an order, also when the order is not valid otherwise. */
export const terminationMessageIn = (text: string): string | undefined => {
  try {
    const { terminationMessage } = JSON.parse(text) ?? {};
    return typeof terminationMessage === 'string' ? terminationMessage : undefined;
  } catch {
    return undefined;
  }
};
