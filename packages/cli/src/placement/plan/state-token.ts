import { createHash } from 'node:crypto';
import { findCondition } from '@perigee/api/values/conditions';
import type { Plan } from '@perigee/scheduling/plan/planned-work';
import type { World } from '@perigee/scheduling/plan/world';
import type { GivenObject } from './read-changes.ts';

/** An input of a plan: its name for people, and the fields that matter, as text. */
interface Ground {
  readonly name: string;
  readonly content: string;
}

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

const titleOf = (kind: string, { metadata: { namespace, name } }: Named): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

const groundsOf = <T extends Named>(
  kind: string,
  objects: readonly T[],
  contentOf: (object: T) => unknown,
): readonly Ground[] =>
  objects.map((one) => ({ name: titleOf(kind, one), content: JSON.stringify(contentOf(one)) }));

const specOf = ({ spec }: { readonly spec?: unknown }): unknown => spec;

/**
 * The objects that a plan rests on. Of clusters only spec and health: their free room changes all the time, and counts
 * by the result of the plan. Of bindings only those in the plan.
 */
const grounds = (
  world: World,
  givenObjects: readonly GivenObject[],
  { work }: Plan,
): readonly Ground[] => {
  const about = new Set(
    work.map(({ kind, namespace = '', name }) => `${kind} ${namespace}/${name}`),
  );
  const isAbout = ({ spec: { resource } }: World['bindings'][number]): boolean =>
    about.has(`${resource.kind} ${resource.namespace ?? ''}/${resource.name}`);
  return [
    ...groundsOf('Cluster', world.clusters, ({ metadata, spec, status }) => [
      metadata.labels,
      metadata.deletionTimestamp,
      spec,
      findCondition(status?.conditions, 'Ready')?.status,
      status?.apiEnablements,
    ]),
    ...groundsOf('ClusterTaintPolicy', world.taintPolicies, specOf),
    ...groundsOf('propagation policy', world.policies, specOf),
    ...groundsOf('override policy', world.overrides, specOf),
    ...groundsOf('DataSourceClaim', world.claims, specOf),
    ...groundsOf('DataSource', world.sources, specOf),
    ...groundsOf('Queue', world.queues, ({ metadata, spec }) => [metadata.annotations, spec]),
    ...groundsOf('binding', world.bindings.filter(isAbout), specOf),
    ...givenObjects.map(({ storedObject, manifest }) => ({
      name: titleOf(storedObject.kind, storedObject),
      content: JSON.stringify(manifest),
    })),
    ...work.map(({ steps: _, afterSeconds: __, message: ___, ...outcome }) => ({
      name: `what becomes of ${titleOf(outcome.kind, { metadata: outcome })}`,
      content: JSON.stringify(outcome),
    })),
  ];
};

const digest = (text: string): number => createHash('sha256').update(text).digest().readUInt16BE();

/** Above this number, inputs share places in the token, so that it stays short for a large fleet. */
const MOST_PLACES = 128;

const placeOf = (name: string): number => digest(name) % 4096;

/** For each occupied place, a digest of its inputs. */
const placesOf = (all: readonly Ground[]): ReadonlyMap<number, number> => {
  const isFull = all.length > MOST_PLACES;
  const byPlace = Map.groupBy(all, ({ name }) => placeOf(name) % (isFull ? MOST_PLACES : 4096));
  return new Map(
    [...byPlace].map(([place, some]) => [
      place,
      digest(JSON.stringify(some.map(({ name, content }) => [name, content]).sort())),
    ]),
  );
};

/** The token of the state that a plan was made for: `perigee apply --if-state` refuses to write to another state. */
export const stateToken = (
  world: World,
  givenObjects: readonly GivenObject[],
  plan: Plan,
): string => {
  const places = [...placesOf(grounds(world, givenObjects, plan))].sort(([a], [b]) => a - b);
  const bytes = Buffer.alloc(places.length * 4);
  for (const [at, [place, content]] of places.entries()) {
    bytes.writeUInt16BE(place, at * 4);
    bytes.writeUInt16BE(content, at * 4 + 2);
  }
  return bytes.toString('base64url');
};

const readToken = (token: string): ReadonlyMap<number, number> | undefined => {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return new Map(
    Array.from({ length: bytes.length / 4 }, (_, at) => [
      bytes.readUInt16BE(at * 4),
      bytes.readUInt16BE(at * 4 + 2),
    ]),
  );
};

/** The names of objects that changed since the token was made; undefined if the token cannot be parsed. */
export const changedSince = (
  token: string,
  world: World,
  givenObjects: readonly GivenObject[],
  plan: Plan,
): readonly string[] | undefined => {
  const before = readToken(token);
  if (before === undefined) return undefined;
  const all = grounds(world, givenObjects, plan);
  const now = placesOf(all);
  const differs = (place: number): boolean => before.get(place) !== now.get(place);
  const isFull = all.length > MOST_PLACES;
  const changedGrounds = all.filter(({ name }) =>
    differs(placeOf(name) % (isFull ? MOST_PLACES : 4096)),
  );
  const isGone = [...before.keys()].some((place) => !now.has(place));
  return [
    ...changedGrounds.map(({ name }) => name),
    ...(isGone ? ['something that is gone now'] : []),
  ];
};
