import { ACCEPTED_OF_APPLIES } from './accepted-applies.ts';
import { ACCEPTED_OF_CUSTOM_RESOURCES } from './accepted-custom-resources.ts';
import { ACCEPTED_OF_DELETIONS } from './accepted-deletions.ts';
import {
  type AcceptedDifference,
  type Situation,
  textOf,
  versionIn,
} from './accepted-difference.ts';
import { ACCEPTED_OF_PATCHES } from './accepted-patches.ts';
import { ACCEPTED_OF_SERVICES } from './accepted-services.ts';
import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';

const isAt = (path: RegExp) => (_: Operation | string, difference: Difference) =>
  path.test(difference.path);

/** Differences that are known and meant. Everything else is a finding. */
const ACCEPTED: readonly AcceptedDifference[] = [
  ...ACCEPTED_OF_SERVICES,
  ...ACCEPTED_OF_CUSTOM_RESOURCES,
  ...ACCEPTED_OF_PATCHES,
  ...ACCEPTED_OF_APPLIES,
  ...ACCEPTED_OF_DELETIONS,
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
    why: 'a list in any version is the newest, where that of kube-apiserver may be older',
    covers: (about, { path }) =>
      typeof about !== 'string' &&
      about.verb === 'list' &&
      about.query?.resourceVersion === '0' &&
      path.startsWith('body.items'),
  },
  {
    why: 'nobody is warned of what is not there, where kube-apiserver may still remember it',
    covers: (_, { path, left, right }) =>
      path === 'warnings of nothing' &&
      textOf(left) === '[]' &&
      /template\.|\$patch/.test(textOf(right)),
  },
  {
    why: 'a mistake in a request is told as such, where kube-apiserver answers 500',
    covers: (_, { path, left, right }) =>
      path === 'status' &&
      /"status":4(00|22)/.test(textOf(left)) &&
      textOf(right).includes('"status":500'),
  },
  {
    why: 'a version that is none is another one, where kube-apiserver answers 500',
    covers: (_, { path, left, right }) =>
      path === 'status' &&
      /"status":(409|20[01])/.test(textOf(left)) &&
      /"status":500.*strconv.ParseUint/.test(textOf(right)),
  },
  {
    why: 'the first write to a new job or claim leaves its version alone if it changes nothing',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      (about.kind === 'Job' || about.kind === 'PersistentVolumeClaim') &&
      path === 'body.metadata.resourceVersion' &&
      versionIn(left) < versionIn(right),
    parts: true,
  },
  {
    why: 'who names another uid is told that, and nothing about the rest',
    covers: (_, { path, left, right }) =>
      /^body.(message|details.causes)$/.test(path) &&
      textOf(left).includes('metadata.uid') &&
      textOf(right).includes('metadata.uid'),
  },
  {
    why: 'nobody is told where an object once was, not even in a dry run',
    covers: (_, { path, left }) => path === 'body.metadata.selfLink' && left === undefined,
  },
  {
    why: 'an empty map is none, also in what may not change any more',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      JSON.stringify(about).includes('{}') &&
      (path === 'status' || /^body.(message|details.causes)$/.test(path)) &&
      /field is immutable when `immutable` is set/.test(textOf(right)),
  },
  {
    why: 'a bound claim that asks for nothing in an empty map is told that it has to ask',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      about.kind === 'PersistentVolumeClaim' &&
      /^body.(message|details.causes)$/.test(path) &&
      [left, right].every((side) => textOf(side).includes('spec.resources[storage]')) &&
      textOf(left).includes('spec is immutable after creation') &&
      !textOf(right).includes('spec is immutable after creation'),
  },
  {
    why: 'kube-apiserver itself fails at the request and hangs up',
    covers: (_, { path, right }) => path === 'status' && textOf(right).includes('"status":0'),
  },
];

/** Why a difference is no finding, if it is none. */
export const acceptedAs = (
  about: Operation | string,
  difference: Difference,
  situation: Situation,
): AcceptedDifference | undefined =>
  ACCEPTED.find(({ covers }) => covers(about, difference, situation));
