import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { type AcceptedDifference, fieldOf, textOf, versionIn } from './accepted-difference.ts';
import type { Difference } from './difference.ts';

/** True if the service in which a path of an answer ends, or which the answer is, is only a name. */
const isNameOnly = (answer: JsonValue | undefined, path = 'body.spec.type'): boolean => {
  const [, ...steps] = path.split(/\.|\[|\]\.?/).slice(0, -1);
  const spec = steps.reduce<JsonValue | undefined>(
    (value, step) => (Array.isArray(value) ? value[Number(step)] : fieldOf(value, step)),
    answer,
  );
  return fieldOf(spec, 'type') === 'ExternalName';
};

/** The owners without the traffic policy among their fields, and without those that own nothing else. */
const withoutOwnersOfPolicy = (owners: Difference['left']): string =>
  JSON.stringify(
    (owners as readonly JsonObject[]).flatMap(({ fieldsV1, ...owner }) => {
      const { 'f:spec': spec = {}, ...fields } = fieldsV1 as JsonObject;
      const { 'f:internalTrafficPolicy': _, ...rest } = spec as JsonObject;
      const isNone = Object.keys({ ...fields, ...rest }).length === 0;
      return isNone ? [] : [{ ...owner, fields, rest }];
    }),
  );

/** Accepted differences of services, most of them because addresses and ports are allocated in another way. */
export const ACCEPTED_OF_SERVICES: readonly AcceptedDifference[] = [
  {
    why: 'a service that is a name only has no policy for traffic, where kube-apiserver shows it to some',
    covers: (about, { path, left }, { left: whole }) =>
      (typeof about === 'string' ? about : about.kind) === 'Service' &&
      path.endsWith('.spec.internalTrafficPolicy') &&
      left === undefined &&
      isNameOnly(whole, path),
  },
  {
    why: 'the policy for traffic of a service that is or was a name only is new, where kube-apiserver has kept it',
    covers: (about, { path, left, right }, { left: whole, live }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      [whole, live].some((object) => isNameOnly(object)) &&
      ((/^body\.metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec(\.f:internalTrafficPolicy)?$/.test(
        path,
      ) &&
        [left, right].includes(undefined) &&
        ['{}', '{"f:internalTrafficPolicy":{}}'].includes(textOf(left) + textOf(right))) ||
        (path === 'body.metadata.managedFields' &&
          withoutOwnersOfPolicy(right) === withoutOwnersOfPolicy(left))),
    parts: true,
  },
  {
    why: 'a service that was a name only has the usual policy for traffic, and not one that it had before',
    covers: (about, { path, left, right }, { live, left: whole }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      isNameOnly(live) &&
      !isNameOnly(whole) &&
      path === 'body.spec.internalTrafficPolicy' &&
      left === 'Cluster' &&
      right === 'Local',
    parts: true,
  },
  {
    why: 'who applies the policy that kube-apiserver hides in a service that is a name only changes nothing there',
    covers: (about, { path, left, right }, { live }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      about.verb === 'apply' &&
      about.changes?.some(({ path: [, name] }) => name === 'internalTrafficPolicy') === true &&
      isNameOnly(live) &&
      ((/^body.metadata.managedFields\[\d+\].time$/.test(path) && right === undefined) ||
        (path === 'status' &&
          /"status":409.* 1 conflict: .*: .spec.internalTrafficPolicy"/.test(textOf(left)) &&
          /"status":(200|422)/.test(textOf(right)))),
    parts: true,
  },
  {
    why: 'who replaces a service that is a name only by itself changes nothing, and takes no hidden policy away',
    covers: (about, { path, left, right }, { live, left: whole, differences }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      about.verb === 'update' &&
      [live, whole].every((object) => isNameOnly(object)) &&
      path === 'body.metadata.resourceVersion' &&
      versionIn(left) < versionIn(right) &&
      differences.length === 1,
    parts: true,
  },
  {
    why: 'the address of a balancer gets its mode by what the service is, not by what is said about it',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      about.subresource === 'status' &&
      path === 'status' &&
      textOf(right).includes('ipMode: Required value'),
  },
  {
    why: 'a service without a selector is for both families, of which only one is there: told first or last',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      /^body.(message|details.causes)$/.test(path) &&
      textOf(right).includes('RequireDualStack'),
  },
  {
    why: 'a service without a name is told that, and not that no address can be had for it',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.kind === 'Service' &&
      about.changes?.some(({ path: [first, name], value }) =>
        name === 'name' ? value === '' : first === 'metadata' && value === null,
      ) === true &&
      /^body.(message|details.causes)/.test(path) &&
      textOf(right).length > 0,
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
];
