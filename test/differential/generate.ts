import type { JsonObject } from '@perigee/schema/json';
import { Dice } from './dice.ts';
import { POOLS, poolOf } from './kinds/all-pools.ts';
import type { Field, KindPool } from './kinds/kind-pool.ts';
import { METADATA_FIELDS, ODD_METADATA_FIELDS } from './kinds/metadata-fields.ts';
import { type Change, type Operation, type Sequence, UID, VERSION } from './operation.ts';
import { jsonPatch, mergePatch, strategicPatch } from './patches.ts';

const SLOTS = ['a', 'b'];
const MANAGERS = ['alice', 'bob', 'carol'];
const VERBS = {
  create: 14,
  update: 16,
  patch: 20,
  apply: 26,
  delete: 7,
  get: 4,
  list: 4,
  'delete-collection': 1,
};

const changeOf = (dice: Dice, { path, values }: Field, mayRemove: boolean): Change =>
  mayRemove && dice.happens(0.2) ? { path } : { path, value: dice.pick(values) };

/** Objects without a namespace get none, and share their names with those of other sequences. */
const oddMetadataOf = ({ isNamespaced }: KindPool): readonly Field[] =>
  ODD_METADATA_FIELDS.filter(
    ({ path }) => isNamespaced || !['name', 'namespace'].includes(path.at(-1) ?? ''),
  );

const changesFor = (dice: Dice, pool: KindPool, mayRemove: boolean): readonly Change[] => {
  const fields = [
    ...dice.some(pool.fields, 0, 3),
    ...dice.some(METADATA_FIELDS, 0, 2),
    ...(dice.happens(0.12) ? [dice.pick([...pool.badFields, ...oddMetadataOf(pool)])] : []),
    ...(dice.happens(0.05) ? dice.some(pool.statusFields, 0, 1) : []),
  ];
  return fields.map((field) => changeOf(dice, field, mayRemove));
};

const statusChanges = (dice: Dice, pool: KindPool): readonly Change[] => {
  const fields = [
    ...dice.some(pool.statusFields, 1, 2),
    ...(dice.happens(0.2) ? dice.some([...pool.fields, ...METADATA_FIELDS], 1, 1) : []),
    ...(dice.happens(0.05) ? dice.some(ODD_METADATA_FIELDS, 1, 1) : []),
  ];
  return fields.map((field) => changeOf(dice, field, true));
};

const scaleChanges = (dice: Dice): readonly Change[] => [
  { path: ['spec', 'replicas'], value: dice.pick([0, 1, 2, 3, 5, -1]) },
];

const writeQuery = (dice: Dice): { [name: string]: string } => ({
  ...(dice.happens(0.96) ? { fieldManager: dice.pick(MANAGERS) } : {}),
  ...(dice.happens(0.5)
    ? { fieldValidation: dice.pick(['Strict', 'Warn', 'Warn', 'Ignore']) }
    : {}),
  ...(dice.happens(0.08) ? { dryRun: 'All' } : {}),
});

const patchOf = (dice: Dice, type: Operation['patchType'], changes: readonly Change[]) => {
  if (type === 'json') return jsonPatch(dice, changes);
  return type === 'merge' ? mergePatch(changes) : strategicPatch(dice, changes);
};

const PRECONDITIONS: readonly JsonObject[] = [
  { uid: UID },
  { resourceVersion: VERSION },
  { uid: 'ffffffff-0000-4000-8000-000000000000' },
  { resourceVersion: '1' },
];

const deletion = (dice: Dice): Pick<Operation, 'body' | 'query'> => {
  const body: JsonObject = {
    ...(dice.happens(0.3) ? { preconditions: dice.pick(PRECONDITIONS) } : {}),
    ...(dice.happens(0.4)
      ? { propagationPolicy: dice.pick(['Background', 'Foreground', 'Orphan', 'Never']) }
      : {}),
    ...(dice.happens(0.3) ? { gracePeriodSeconds: dice.pick([0, 0, 5, -1]) } : {}),
    ...(dice.happens(0.1) ? { dryRun: ['All'] } : {}),
  };
  if (dice.happens(0.2)) return { query: { propagationPolicy: 'Background' } };
  return Object.keys(body).length === 0 ? {} : { body };
};

const SELECTORS: readonly { readonly [name: string]: string }[] = [
  {},
  { labelSelector: 'a=1' },
  { labelSelector: 'a in (1,2),!b' },
  { labelSelector: 'a!=1' },
  { labelSelector: 'a notin (1)' },
  { labelSelector: 'not(a' },
  { fieldSelector: 'metadata.name=a' },
  { fieldSelector: 'metadata.name!=a' },
  { fieldSelector: 'spec.bogus=1' },
  { resourceVersion: 'x' },
  { resourceVersion: '0' },
];

const subresourceFor = (dice: Dice, pool: KindPool): Operation['subresource'] => {
  if (pool.hasScale && dice.happens(0.12)) return 'scale';
  return pool.statusFields.length > 0 && dice.happens(0.2) ? 'status' : undefined;
};

const isEmpty = (value: Change['value']): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const writeTo = (
  dice: Dice,
  pool: KindPool,
  about: Pick<Operation, 'kind' | 'slot'>,
): Operation => {
  const verb = dice.weighted({ update: VERBS.update, patch: VERBS.patch, apply: VERBS.apply });
  const subresource = subresourceFor(dice, pool);
  const query = writeQuery(dice);
  const common = { ...about, ...(subresource === undefined ? {} : { subresource }) };
  // Kubernetes stores what is empty there and does not show it, so that the next write is a change.
  const isEmptied = verb === 'apply' && pool.isCustom;
  const changes =
    subresource === 'scale'
      ? scaleChanges(dice)
      : subresource === 'status'
        ? statusChanges(dice, pool)
        : changesFor(dice, pool, verb !== 'apply').filter(
            ({ path: [first], value }) => !(isEmptied && first === 'metadata' && isEmpty(value)),
          );
  if (verb === 'update') {
    const base = dice.weighted({ live: 8, first: 1, least: 2 });
    const version = dice.weighted({ live: 7, first: 1, none: 2 });
    const repeats = dice.happens(0.04) ? { repeats: true } : {};
    return { verb, ...common, query, base, version, changes, ...repeats };
  }
  if (verb === 'patch') {
    const patchType = dice.weighted({ json: 3, merge: 4, strategic: 4 });
    return {
      verb,
      ...common,
      query,
      patchType,
      patch: patchOf(dice, patchType, changes),
    };
  }
  const force: Operation['query'] = dice.happens(0.35) ? { force: 'true' } : {};
  const base = dice.happens(0.75) ? 'least' : undefined;
  return { verb, ...common, query: { ...query, ...force }, changes, ...(base ? { base } : {}) };
};

const operationOn = (dice: Dice, pool: KindPool): Operation => {
  const verb = dice.weighted(VERBS);
  const about = { kind: pool.kind, slot: dice.happens(0.1) ? 'g' : dice.pick(SLOTS) };
  switch (verb) {
    case 'create': {
      const repeats = dice.happens(0.04) ? { repeats: true } : {};
      const generatesName = about.slot !== 'g' && dice.happens(0.15) ? { generatesName: true } : {};
      const changes = changesFor(dice, pool, false);
      return { verb, ...about, query: writeQuery(dice), changes, ...repeats, ...generatesName };
    }
    case 'delete':
      return { verb, ...about, ...deletion(dice) };
    case 'get': {
      const subresource = subresourceFor(dice, pool);
      return { verb, ...about, ...(subresource ? { subresource } : {}) };
    }
    case 'list':
    case 'delete-collection':
      return {
        verb,
        ...about,
        query: dice.pick(SELECTORS.slice(0, verb === 'list' ? undefined : 7)),
      };
    default:
      return writeTo(dice, pool, about);
  }
};

export interface SequenceOptions {
  readonly seed: number;
  readonly length: number;
  /** Only these kinds; all by default. */
  readonly kinds?: readonly string[];
}

/** A random sequence of operations on a few objects of one or two kinds. Same options, same sequence. */
export const generateSequence = ({ seed, length, kinds }: SequenceOptions): Sequence => {
  const dice = new Dice(seed);
  const pools = (kinds ?? [...POOLS.keys()]).map(poolOf);
  const focus = dice.happens(0.7) ? [dice.pick(pools)] : [dice.pick(pools), dice.pick(pools)];
  const operations = Array.from({ length }, () => operationOn(dice, dice.pick(focus)));
  return { seed, operations };
};
