import type { JsonValue } from '@perigee/schema/json';
import { type AcceptedDifference, fieldOf, textOf } from './accepted-difference.ts';
import type { Operation } from './operation.ts';

const isDry = ({ body }: Operation): boolean => body?.dryRun !== undefined;

const FINALIZERS = { orphan: 'Orphan', foregroundDeletion: 'Foreground' };

/** True if a deletion takes away the finalizer that an earlier one by another policy has left. */
const takesFinalizerAway = ({ verb, body }: Operation, live: JsonValue | undefined): boolean => {
  const finalizers = fieldOf(fieldOf(live, 'metadata'), 'finalizers');
  const policy = body?.propagationPolicy;
  return (
    verb === 'delete' &&
    policy !== undefined &&
    Array.isArray(finalizers) &&
    Object.entries(FINALIZERS).some(
      ([finalizer, other]) => finalizers.includes(finalizer) && policy !== other,
    )
  );
};

/** Of what an answer tells, be it the object or a Status about it. */
const uidIn = (answer: JsonValue): JsonValue | undefined =>
  fieldOf(fieldOf(answer, fieldOf(answer, 'kind') === 'Status' ? 'details' : 'metadata'), 'uid');

/** Accepted differences of deletions. */
export const ACCEPTED_OF_DELETIONS: readonly AcceptedDifference[] = [
  {
    why: 'a deletion that also takes finalizers away asks for the version once',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.verb === 'delete' &&
      JSON.stringify(about.body).includes('resourceVersion') &&
      path === 'status' &&
      /"status":409.*ResourceVersion in precondition: /.test(textOf(right)),
  },
  {
    why: 'a dry run of a deletion that takes finalizers away tells what goes, rather than show an empty object',
    covers: (about, { path }, { live, left, right }) =>
      typeof about !== 'string' &&
      isDry(about) &&
      takesFinalizerAway(about, live) &&
      path.startsWith('body.') &&
      uidIn(left) !== undefined &&
      fieldOf(right, 'kind') === about.kind &&
      Object.keys(fieldOf(right, 'metadata') ?? {}).length === 0,
  },
  {
    why: 'a job that goes with a write keeps its labels in the answer',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.kind === 'Job' &&
      path === 'body.metadata.labels' &&
      right === undefined,
    parts: true,
  },
  {
    why: 'a role that goes with a write has no rules, rather than an empty list of them',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      path === 'body.rules' &&
      left === null &&
      Array.isArray(right) &&
      right.length === 0,
  },
];
