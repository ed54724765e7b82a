import { EMPTY_SET, type FieldSet, union } from '@perigee/kubernetes/meta/field-set';
import { type FieldOwner, type FieldOwners, identityOf, secondsOf } from './field-owner.ts';

const MAX_UPDATERS = 10;
const BUCKET = 'ancient-changes';

const olderFirst = (a: FieldOwner, b: FieldOwner): number => {
  const order = secondsOf(a) - secondsOf(b);
  return order !== 0 ? order : identityOf(a) < identityOf(b) ? -1 : 1;
};

/** In halves: one by one, the first set would be copied for each of the others. */
const unionOf = (sets: readonly FieldSet[]): FieldSet => {
  if (sets.length < 2) return sets[0] ?? EMPTY_SET;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
};

/**
 * Keeps the list of owners short: beyond ten updaters, the oldest of a version become one owner.
 * Appliers are never merged, since each of them must find its last configuration.
 */
export const capOwners = (owners: FieldOwners): FieldOwners => {
  const updaters = [...owners.values()].filter(({ operation }) => operation === 'Update');
  let surplus = updaters.length - MAX_UPDATERS;
  if (surplus <= 0) return owners;
  const cappedOwners = new Map(owners);
  const firstOf = new Map<string, FieldOwner>();
  const buckets = new Map<string, { readonly last: FieldOwner; readonly sets: FieldSet[] }>();
  for (const owner of updaters.sort(olderFirst)) {
    if (surplus === 0) break;
    const { apiVersion } = owner;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, owner);
      continue;
    }
    const last: FieldOwner = { ...owner, manager: BUCKET, subresource: undefined };
    const id = identityOf(last);
    const { sets } = buckets.get(id) ?? { sets: [(cappedOwners.get(id) ?? first).fields] };
    if (!cappedOwners.has(id)) cappedOwners.delete(identityOf(first));
    cappedOwners.delete(identityOf(owner));
    sets.push(owner.fields);
    buckets.set(id, { last, sets });
    cappedOwners.set(id, last);
    surplus--;
  }
  for (const [id, { last, sets }] of buckets)
    cappedOwners.set(id, { ...last, fields: unionOf(sets) });
  return cappedOwners;
};
