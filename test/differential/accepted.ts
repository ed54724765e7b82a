import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';

interface Accepted {
  readonly why: string;
  readonly covers: (about: Operation | string, difference: Difference) => boolean;
}

const textOf = (value: Difference['left']): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
};

const isAt = (path: RegExp) => (_: Operation | string, difference: Difference) =>
  path.test(difference.path);

/** Go's text of what changed in a specification, which it appends to a refusal. */
const GO_DIFF = /\\n@@ -|\n@@ -/;
const beforeDiff = (text: string): string => text.split(GO_DIFF)[0] ?? '';

/** Differences that are known and meant. Everything else is a finding. */
export const ACCEPTED: readonly Accepted[] = [
  {
    why: 'items of a list say what they are also where Kubernetes leaves it to the list',
    covers: (about, difference) =>
      isAt(/^body\.items\[\d+\]\.(apiVersion|kind)$/)(about, difference) &&
      difference.right === undefined,
  },
  {
    why: 'a list that ends has no continue token, rather than an empty one',
    covers: (_, { path, left, right }) =>
      path === 'body.metadata.continue' && left === undefined && right === '',
  },
  {
    why: 'a JSON patch that does not fit is told what does not fit',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.patchType === 'json' &&
      ((path === 'body.message' &&
        right === 'the server rejected our request due to an error in our request') ||
        path === 'body.details'),
  },
  {
    why: 'the refusal of a changed specification does not quote the change in the words of Go',
    covers: (_, { path, left, right }) =>
      /^body\.(message|details\.causes(\[\d+\]\.message)?)$/.test(path) &&
      GO_DIFF.test(textOf(right)) &&
      textOf(left).startsWith(beforeDiff(textOf(right)).slice(0, 200)),
  },
  {
    why: 'kube-apiserver itself fails at the request and hangs up',
    covers: (_, { path, right }) => path === 'status' && textOf(right).includes('"status":0'),
  },
];

/** Why a difference is no finding, if it is none. */
export const acceptedReason = (
  about: Operation | string,
  difference: Difference,
): string | undefined => ACCEPTED.find(({ covers }) => covers(about, difference))?.why;
