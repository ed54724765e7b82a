import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';

interface Accepted {
  readonly why: string;
  readonly covers: (about: Operation | string, difference: Difference) => boolean;
  /** Set when everything after it differs too. */
  readonly parts?: boolean;
}

const textOf = (value: Difference['left']): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
};

const isAt = (path: RegExp) => (_: Operation | string, difference: Difference) =>
  path.test(difference.path);

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
    why: 'a mistake in a request is told as such, where kube-apiserver answers 500',
    covers: (_, { path, left, right }) =>
      path === 'status' &&
      /"status":4(00|22)/.test(textOf(left)) &&
      textOf(right).includes('"status":500'),
  },
  {
    why: 'a request that cannot be right is refused before anybody looks what it would meet',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      about.verb === 'apply' &&
      path === 'status' &&
      /"status":400.*(does not match|invalid object type)/.test(textOf(left)) &&
      /"status":4/.test(textOf(right)),
  },
  {
    why: 'an apply may leave out the name that its path gives',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.verb === 'apply' &&
      path === 'status' &&
      textOf(right).includes('name must be provided'),
  },
  {
    why: 'a job or claim is stored as it is shown, so a write that changes nothing leaves it alone',
    covers: (about, { path }) =>
      typeof about !== 'string' &&
      (about.kind === 'Job' || about.kind === 'PersistentVolumeClaim') &&
      /^body\.metadata\.(resourceVersion|labels)$/.test(path),
    parts: true,
  },
  {
    why: 'an empty list of rules is none, and nobody owns it',
    covers: (about, { path, left }) =>
      typeof about !== 'string' &&
      (about.kind === 'Role' || about.kind === 'ClusterRole') &&
      /managedFields\[\d+\]\.fieldsV1\.f:rules$/.test(path) &&
      left === undefined,
    parts: true,
  },
  {
    why: 'an owner that a patch names twice belongs to whoever named it first',
    covers: (about, { path }) =>
      typeof about !== 'string' &&
      about.verb === 'patch' &&
      path.includes('managedFields') &&
      /"uid":("[^"]+").*"uid":\1/.test(JSON.stringify(about.patch)),
    parts: true,
  },
  {
    why: 'a write to the status of a service that is not there does not create it',
    covers: (about, { path, left }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      about.subresource === 'status' &&
      path === 'status' &&
      textOf(left).includes('"status":404'),
  },
  {
    why: 'kube-apiserver itself fails at the request and hangs up',
    covers: (_, { path, right }) => path === 'status' && textOf(right).includes('"status":0'),
  },
];

/** Why a difference is no finding, if it is none. */
export const acceptedAs = (about: Operation | string, difference: Difference) =>
  ACCEPTED.find(({ covers }) => covers(about, difference));
