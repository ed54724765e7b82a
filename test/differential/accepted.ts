import { ACCEPTED_OF_CUSTOM_RESOURCES } from './accepted-custom-resources.ts';
import { type AcceptedDifference, textOf, versionIn } from './accepted-difference.ts';
import { ACCEPTED_OF_SERVICES } from './accepted-services.ts';
import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';

const isAt = (path: RegExp) => (_: Operation | string, difference: Difference) =>
  path.test(difference.path);

/** Differences that are known and meant. Everything else is a finding. */
const ACCEPTED: readonly AcceptedDifference[] = [
  ...ACCEPTED_OF_SERVICES,
  ...ACCEPTED_OF_CUSTOM_RESOURCES,
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
      textOf(right).includes('template.'),
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
    why: 'a version that is none is another one, where kube-apiserver answers 500',
    covers: (_, { path, left, right }) =>
      path === 'status' &&
      /"status":(409|20[01])/.test(textOf(left)) &&
      /"status":500.*strconv.ParseUint/.test(textOf(right)),
  },
  {
    why: 'who takes the version away is not told that nothing is known without it',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.verb === 'patch' &&
      (path === 'warnings' || path === 'status') &&
      /unknown field \\*"metadata/.test(textOf(right)),
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
    why: 'a list that a patch leaves empty is none, and no change of what a policy wants',
    covers: (about, { path }) =>
      typeof about !== 'string' &&
      about.kind === 'NetworkPolicy' &&
      about.patchType === 'strategic' &&
      /^body.metadata.(generation|resourceVersion)$/.test(path),
    parts: true,
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
  {
    why: 'what is null beside a status belongs to nobody',
    covers: (about, { path, left }) =>
      typeof about !== 'string' &&
      about.verb === 'apply' &&
      about.subresource === 'status' &&
      about.changes?.some((change) => change.value === null) === true &&
      /managedFields.*f:metadata/.test(path) &&
      left === undefined,
    parts: true,
  },
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
    why: 'what a node can give is its capacity again at once, where kube-apiserver takes it from its owner first',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.kind === 'Node' &&
      about.patchType === 'strategic' &&
      JSON.stringify(about.patch).includes('"$patch":"delete"') &&
      /managedFields.*f:allocatable$/.test(path) &&
      right === undefined,
    parts: true,
  },
  {
    why: 'of several values that do not fit their fields, the first in the document is told',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      about.patchType === 'strategic' &&
      /^body.(message|details.causes)$/.test(path) &&
      [left, right].every((told) =>
        /: (unrecognized type: \w+|cannot (restore|convert) [\w: ]+)("|$)/.test(textOf(told)),
      ),
  },
  {
    why: 'an order for a list in which nothing is left is none, where kube-apiserver answers 500',
    covers: (about, { right, path }) =>
      typeof about !== 'string' &&
      about.patchType === 'strategic' &&
      path === 'status' &&
      /"status":500.*no elements in any of the given slices/.test(textOf(right)),
  },
  {
    why: 'a JSON patch tests what is there, where kube-apiserver compares it with HTML',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.patchType === 'json' &&
      JSON.stringify(about.patch).includes('"op":"test"') &&
      JSON.stringify(about.patch).includes('<a> & b') &&
      path === 'status' &&
      textOf(right).includes('"status":422'),
  },
  {
    why: 'what an apply or update creates does not end because it says so itself',
    covers: (about, { path, left }) =>
      typeof about !== 'string' &&
      (about.verb === 'apply' || about.verb === 'update') &&
      about.changes?.some(({ path: [, name = ''] }) => name.startsWith('deletion')) === true &&
      /^body.metadata.(deletion\w+|managedFields.*)$/.test(path) &&
      left === undefined,
    parts: true,
  },
  {
    why: 'an apply is refused for a time that is none, before anything else',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      about.verb === 'apply' &&
      path === 'status' &&
      /"status":400.*metadata.creationTimestamp.*of type date-time/.test(textOf(left)) &&
      /"status":(20[01]|409|422)/.test(textOf(right)),
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
    why: 'a dry run of a deletion that takes finalizers away tells that, rather than show an empty object',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      about.verb === 'delete' &&
      ((path === 'body.kind' && left === 'Status') ||
        (path === 'body.apiVersion' && left === 'v1') ||
        (/^body.(details|metadata)$/.test(path) && right === undefined) ||
        (path === 'body.status' && left === 'Success') ||
        (/^body.\w+$/.test(path) &&
          left === undefined &&
          JSON.stringify(about.body ?? {}).includes('dryRun'))),
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
    why: 'an owner that a patch names twice belongs to whoever named it first',
    covers: (about, { path }) =>
      typeof about !== 'string' &&
      about.verb === 'patch' &&
      (path.includes('managedFields') || path === 'body.metadata.resourceVersion') &&
      /"uid":("[^"]+").*"uid":\1/.test(JSON.stringify(about.patch)),
    parts: true,
  },
  {
    why: 'kube-apiserver itself fails at the request and hangs up',
    covers: (_, { path, right }) => path === 'status' && textOf(right).includes('"status":0'),
  },
];

/** Why a difference is no finding, if it is none. */
export const acceptedAs = (about: Operation | string, difference: Difference) =>
  ACCEPTED.find(({ covers }) => covers(about, difference));
