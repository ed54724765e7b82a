import type { JsonObject } from '@perigee/schema/json';
import { type AcceptedDifference, textOf } from './accepted-difference.ts';

/** The owners, without those of the status whose fields are only metadata. */
const withoutOwnersOfMetadata = (owners: unknown): string =>
  JSON.stringify(
    (owners as readonly JsonObject[]).filter(
      ({ subresource, fieldsV1 }) =>
        subresource !== 'status' || Object.keys(fieldsV1 as JsonObject).join() !== 'f:metadata',
    ),
  );

/** Accepted differences of server-side apply. */
export const ACCEPTED_OF_APPLIES: readonly AcceptedDifference[] = [
  {
    why: 'what is null beside a status belongs to nobody',
    covers: (about, { path, left, right }) =>
      typeof about !== 'string' &&
      about.verb === 'apply' &&
      about.subresource === 'status' &&
      about.changes?.some((change) => change.value === null) === true &&
      ((/managedFields.*f:metadata/.test(path) && left === undefined) ||
        (path === 'body.metadata.managedFields' &&
          withoutOwnersOfMetadata(right) === JSON.stringify(left))),
    parts: true,
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
];
