import {
  type AcceptedDifference,
  fieldOf,
  isSameObject,
  textOf,
  versionIn,
} from './accepted-difference.ts';
import { poolOf } from './kinds/all-pools.ts';
import type { Operation } from './operation.ts';

const COLLECTIONS = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

const namesIn = ({ changes = [] }: Operation, collection: string) =>
  changes.filter(({ path: [first, name] }) => first === 'metadata' && name === collection);

/**
 * True if an apply has left a collection blank, by null or by what its manager no longer names. Kubernetes
 * stores that, shows none, and drops it with the next write that is no apply.
 */
const isLeftBlank = (before: readonly Operation[], collection: string): boolean => {
  const applies = before.filter(
    ({ verb, subresource, query }) =>
      verb === 'apply' && subresource === undefined && query?.dryRun === undefined,
  );
  return applies.some((apply, index) => {
    const names = namesIn(apply, collection);
    const isLetGo = applies
      .slice(index + 1)
      .some(
        (later) =>
          later.query?.fieldManager === apply.query?.fieldManager &&
          namesIn(later, collection).length === 0,
      );
    return names.some(({ value }) => value === null) || (names.length > 0 && isLetGo);
  });
};

/** Accepted differences of objects whose kinds are defined by CRDs. */
export const ACCEPTED_OF_CUSTOM_RESOURCES: readonly AcceptedDifference[] = [
  {
    why: 'labels and the like that an apply left blank in a custom resource are none, and their end no change',
    covers: (about, { path, left, right }, { before, live, differences }) =>
      typeof about !== 'string' &&
      poolOf(about.kind).isCustom &&
      path === 'body.metadata.resourceVersion' &&
      versionIn(left) < versionIn(right) &&
      differences.length === 1 &&
      COLLECTIONS.some(
        (collection) =>
          fieldOf(fieldOf(live, 'metadata'), collection) === undefined &&
          isLeftBlank(
            before.filter((earlier) => isSameObject(earlier, about)),
            collection,
          ),
      ),
    parts: true,
  },
  {
    why: 'the scale of a custom resource is decoded as that of any other',
    covers: (_, { path, right }) =>
      path === 'body.message' &&
      textOf(right).startsWith('no kind is registered for the type v1.Scale'),
  },
  {
    why: 'a custom resource of another kind is told that before it is asked for its version',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      about.verb === 'update' &&
      about.changes?.some(({ path: [first] }) => first === 'kind') === true &&
      (/^body.(message|details.*)$/.test(path) || /"status":422.*must be /.test(textOf(left))) &&
      (textOf(left).length > 0 || textOf(right).length > 0),
  },
  {
    why: 'a status of another kind or version is refused, where kube-apiserver takes it and forgets the owners',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      about.subresource === 'status' &&
      poolOf(about.kind).isCustom &&
      path === 'status' &&
      /"status":422.*(kind|apiVersion): Invalid value: .*: must be /.test(textOf(left)) &&
      textOf(right).includes('"status":200'),
  },
  {
    why: 'a custom resource of no kind is told so in the same words, whatever becomes of unknown fields',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      about.query?.fieldValidation === 'Ignore' &&
      path === 'body.message' &&
      textOf(left).includes("Object 'Kind' is missing") &&
      textOf(right).includes("Object 'Kind' is missing"),
  },
  {
    why: 'a custom resource of another kind is told that before it gets a name',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      about.generatesName === true &&
      about.changes?.some(({ path: [first] }) => first === 'kind') === true &&
      (/^body.(message|details.*)$/.test(path) || /"status":422.*must be /.test(textOf(left))) &&
      (textOf(left).length > 0 || textOf(right).length > 0),
    parts: true,
  },
  {
    why: 'a custom resource of another kind or version is not warned of fields that it has twice',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      about.repeats === true &&
      about.changes?.some(({ path: [first = ''] }) => ['apiVersion', 'kind'].includes(first)) ===
        true &&
      path === 'warnings' &&
      textOf(left) === '[]' &&
      textOf(right).includes('duplicate field'),
  },
  {
    why: 'a new custom resource of another kind is not told what else the rules of this kind find in it',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      about.verb === 'create' &&
      about.changes?.some(({ path: [first] }) => first === 'kind') === true &&
      /^body.(message|details.causes)$/.test(path) &&
      /Invalid value: [^:]*: must be \w+/.test(textOf(left)) &&
      /Invalid value: [^:]*: must be \w+/.test(textOf(right)),
  },
  {
    why: 'the scale of a custom resource can be applied, where kube-apiserver answers 500',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.verb === 'apply' &&
      about.subresource === 'scale' &&
      path === 'status' &&
      /"status":500.*to convert CR to an invalid group/.test(textOf(right)),
  },
  {
    why: 'a custom resource without a name is not told that its rules were not checked',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      /^body.(message|details.causes)$/.test(path) &&
      textOf(left).includes('name or generateName is required') &&
      textOf(right).includes('some validation rules were not checked'),
  },
];
