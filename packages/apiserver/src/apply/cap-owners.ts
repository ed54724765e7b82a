import { type FieldOwner, type FieldOwners, identityOf, secondsOf } from './field-owner.ts';
import { union } from './field-set.ts';

const MAX_UPDATERS = 10;
const BUCKET = 'ancient-changes';

const olderFirst = (a: FieldOwner, b: FieldOwner): number => {
  const order = secondsOf(a) - secondsOf(b);
  return order !== 0 ? order : identityOf(a) < identityOf(b) ? -1 : 1;
};

/**
 * Keeps the list of owners short: beyond ten updaters, the oldest of a version become one owner.
 * Appliers are never merged, since each of them must find its last configuration.
 */
export const capOwners = (owners: FieldOwners): FieldOwners => {
  const updaters = [...owners.values()].filter(({ operation }) => operation === 'Update');
  let surplus = updaters.length - MAX_UPDATERS;
  if (surplus <= 0) return owners;
  const capped = new Map(owners);
  const firstOf = new Map<string, FieldOwner>();
  for (const owner of updaters.sort(olderFirst)) {
    if (surplus === 0) break;
    const { apiVersion } = owner;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, owner);
      continue;
    }
    const bucket: FieldOwner = { ...owner, manager: BUCKET, subresource: undefined };
    const id = identityOf(bucket);
    const collected = capped.get(id) ?? first;
    if (!capped.has(id)) capped.delete(identityOf(first));
    capped.delete(identityOf(owner));
    capped.set(id, { ...bucket, fields: union(owner.fields, collected.fields) });
    surplus--;
  }
  return capped;
};
