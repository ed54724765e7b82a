import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { DEFAULT_LEVELS, type GroupLevels } from '@perigee/scheduling/groups/group-levels';
import { membershipOf } from '@perigee/scheduling/groups/group-membership';
import { groupOwnerOf, type OwnedPod } from '@perigee/scheduling/groups/group-owner';
import {
  DEEPEST_CHAIN,
  type OwnedObject,
  type OwnerLookup,
} from '@perigee/scheduling/groups/owner-chain';
import fc from 'fast-check';

const API_VERSIONS: { readonly [kind: string]: string } = {
  ReplicaSet: 'apps/v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  Workflow: 'argoproj.io/v1alpha1',
  Thing: 'x.io/v1',
};

const reference = (kind: string): OwnerReference => ({
  apiVersion: API_VERSIONS[kind] ?? 'v1',
  kind,
  name: kind.toLowerCase(),
  uid: `uid-of-${kind}`,
  controller: true,
});

const ownedBy = (uid: string, owner: OwnerReference | undefined): OwnedPod => ({
  metadata: { uid, name: uid, namespace: 'a', ownerReferences: owner === undefined ? [] : [owner] },
});

type Fate = Exclude<OwnerLookup['kind'], 'found'>;

/** A pod under these kinds, the direct owner first, of which some cannot be looked up. */
const under = (kinds: readonly string[], fates: { readonly [kind: string]: Fate } = {}) => {
  const refs = kinds.map(reference);
  const owners = new Map<string, OwnedObject>(
    refs.map((ref, index) => [ref.uid, ownedBy(ref.uid, refs[index + 1])]),
  );
  const lookUp = ({ kind, uid }: OwnerReference): OwnerLookup => {
    const owner = owners.get(uid);
    const fate = fates[kind] ?? (owner === undefined ? 'missing' : undefined);
    return fate === undefined ? { kind: 'found', owner: owner as OwnedObject } : { kind: fate };
  };
  return { pod: ownedBy('pod', refs[0]), lookUp };
};

const decide = (
  kinds: readonly string[],
  levels: GroupLevels = DEFAULT_LEVELS,
  fates: { readonly [kind: string]: Fate } = {},
): string => {
  const { pod, lookUp } = under(kinds, fates);
  const verdict = groupOwnerOf(pod, levels, lookUp);
  if (verdict.kind === 'pending') return `asks for ${verdict.reference.kind}`;
  return `${verdict.owner.kind} by ${verdict.choice.kind}, ${verdict.end?.kind ?? 'not at the end'}`;
};

const ROOT: GroupLevels = { ...DEFAULT_LEVELS, withoutRule: 'root' };
const rule = (kind: string, adjustLevel = 0) => ({
  apiVersion: API_VERSIONS[kind] ?? '',
  kind: kind.toLowerCase(),
  adjustLevel,
});

describe('the owner of the group', () => {
  const cases: readonly (readonly [
    string,
    readonly string[],
    GroupLevels,
    { readonly [kind: string]: Fate },
    string,
  ])[] = [
    ['of a pod alone is the pod', [], DEFAULT_LEVELS, {}, 'Pod by pod, root'],
    [
      'of a Deployment',
      ['ReplicaSet', 'Deployment'],
      DEFAULT_LEVELS,
      {},
      'Deployment by rule, not at the end',
    ],
    [
      'of a Job under a Workflow is the Job',
      ['Job', 'Workflow'],
      DEFAULT_LEVELS,
      {},
      'Job by rule, not at the end',
    ],
    [
      'just below a Workflow',
      ['ReplicaSet', 'Thing', 'Workflow'],
      DEFAULT_LEVELS,
      {},
      'Thing by rule, not at the end',
    ],
    [
      'of a pod that a Workflow made itself is the pod',
      ['Workflow'],
      DEFAULT_LEVELS,
      {},
      'Pod by rule, not at the end',
    ],
    [
      'never is below the pod',
      ['Thing'],
      { ...ROOT, rules: [rule('Thing', -9)] },
      {},
      'Pod by rule, not at the end',
    ],
    [
      'is the nearest that a rule is about',
      ['Job', 'CronJob'],
      { ...ROOT, rules: [rule('CronJob'), rule('Job')] },
      {},
      'Job by rule, not at the end',
    ],
    [
      'without a rule is the direct one',
      ['Thing', 'CronJob'],
      DEFAULT_LEVELS,
      {},
      'Thing by direct, root',
    ],
    [
      'without a rule is the root, if that is asked for',
      ['Thing', 'CronJob'],
      ROOT,
      {},
      'CronJob by root, root',
    ],
    [
      'is not looked for above one that may not be read',
      ['Thing', 'CronJob', 'Workflow'],
      ROOT,
      { CronJob: 'unreadable' },
      'CronJob by root, unreadable',
    ],
    [
      'may be one that may not be read',
      ['ReplicaSet', 'Deployment'],
      DEFAULT_LEVELS,
      { Deployment: 'unreadable' },
      'Deployment by rule, not at the end',
    ],
    [
      'may be of a kind that is not served',
      ['Thing'],
      DEFAULT_LEVELS,
      { Thing: 'unknown' },
      'Thing by direct, unknown',
    ],
    [
      'is never one that is gone',
      ['ReplicaSet', 'Deployment'],
      DEFAULT_LEVELS,
      { Deployment: 'missing' },
      'ReplicaSet by direct, missing',
    ],
    [
      'is the pod when its direct owner is gone',
      ['ReplicaSet'],
      DEFAULT_LEVELS,
      { ReplicaSet: 'missing' },
      'Pod by pod, missing',
    ],
    [
      'waits for what was not looked up yet',
      ['ReplicaSet', 'Deployment'],
      DEFAULT_LEVELS,
      { Deployment: 'pending' },
      'asks for Deployment',
    ],
    [
      'does not wait for what is above it',
      ['Job', 'CronJob'],
      DEFAULT_LEVELS,
      { CronJob: 'pending' },
      'Job by rule, not at the end',
    ],
  ];
  for (const [what, kinds, levels, fates, expected] of cases) {
    it(what, () => assert.equal(decide(kinds, levels, fates), expected));
  }

  it('is found although owners go round in a circle', () => {
    const a = reference('ReplicaSet');
    const b = reference('Thing');
    const lookUp = ({ uid }: OwnerReference): OwnerLookup => ({
      kind: 'found',
      owner: uid === a.uid ? ownedBy(a.uid, b) : ownedBy(b.uid, a),
    });
    const verdict = groupOwnerOf(ownedBy('pod', a), ROOT, lookUp);
    assert.equal(verdict.kind === 'decided' && verdict.owner.kind, 'Thing');
    assert.equal(verdict.kind === 'decided' && verdict.end?.kind, 'cycle');
  });

  it('is found although the chain has no end', () => {
    let looked = 0;
    const lookUp = ({ uid }: OwnerReference): OwnerLookup => {
      looked += 1;
      return { kind: 'found', owner: ownedBy(uid, { ...reference('Thing'), uid: `${looked}` }) };
    };
    const verdict = groupOwnerOf(ownedBy('pod', reference('Thing')), DEFAULT_LEVELS, lookUp);
    assert.equal(verdict.kind === 'decided' && verdict.end?.kind, 'too-deep');
    assert.equal(looked, DEEPEST_CHAIN);
  });
});

describe('the group of a pod', () => {
  const named = (group: string, kinds: readonly string[]) => {
    const { pod, lookUp } = under(kinds);
    const annotations = { 'scheduling.k8s.io/group-name': group };
    const annotated = { metadata: { ...pod.metadata, annotations } };
    const membership = membershipOf(annotated, DEFAULT_LEVELS, lookUp);
    return membership.kind === 'pending'
      ? membership.kind
      : `${membership.kind} ${membership.name}`;
  };
  it('stays the one that a user chose', () => {
    assert.equal(named('mine', ['ReplicaSet', 'Deployment']), 'chosen mine');
    assert.equal(named('podgroup-of-another', ['Job']), 'chosen podgroup-of-another');
  });
  it('takes over from one that Volcano made for the ReplicaSet', () => {
    assert.equal(
      named('podgroup-uid-of-ReplicaSet', ['ReplicaSet', 'Deployment']),
      'of-owner podgroup-uid-of-Deployment',
    );
  });
  it('takes over from one that other rules made for an owner above', () => {
    assert.equal(
      named('podgroup-uid-of-CronJob', ['Job', 'CronJob']),
      'of-owner podgroup-uid-of-Job',
    );
  });
});

describe('any forest of owners, with any rules', () => {
  const kinds = Object.keys(API_VERSIONS);
  /** Each object may be owned by any other, itself included; some cannot be looked up. */
  const forest = fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      owner: fc.option(fc.nat({ max: 11 }), { nil: undefined }),
      fate: fc.constantFrom<OwnerLookup['kind']>(
        'found',
        'found',
        'found',
        'found',
        'missing',
        'unreadable',
        'unknown',
      ),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const levels = fc.record({
    rules: fc
      .uniqueArray(
        fc.record({
          kind: fc.constantFrom(...kinds),
          adjustLevel: fc.integer({ min: -3, max: 0 }),
        }),
        { selector: ({ kind }) => kind },
      )
      .map((rules) => rules.map(({ kind, adjustLevel }) => rule(kind, adjustLevel))),
    withoutRule: fc.constantFrom<'direct' | 'root'>('direct', 'root'),
  });

  it('gives each pod one group: the owner is there, in its lineage, and at the level that the rules say', () => {
    fc.assert(
      fc.property(forest, levels, (objects, groupLevels) => {
        const refs = objects.map(({ kind }, index) => ({
          ...reference(kind),
          uid: `uid-${index}`,
        }));
        const owned = objects.map(({ owner }, index) =>
          ownedBy(`uid-${index}`, owner === undefined ? undefined : refs[owner % refs.length]),
        );
        const indexOf = ({ uid }: OwnerReference): number =>
          refs.findIndex((ref) => ref.uid === uid);
        const lookUp = (ref: OwnerReference): OwnerLookup => {
          const index = indexOf(ref);
          const fate = objects[index]?.fate ?? 'missing';
          return fate === 'found'
            ? { kind: fate, owner: owned[index] as OwnedObject }
            : { kind: fate };
        };
        const pod = ownedBy('the-pod', refs[0]);
        const verdict = groupOwnerOf(pod, groupLevels, lookUp);
        assert.equal(verdict.kind, 'decided');
        if (verdict.kind !== 'decided') return;
        const lineage = [pod.metadata.uid, ...verdict.owners.map((link) => link.reference.uid)];
        const place = lineage.indexOf(verdict.owner.uid);
        assert.ok(place >= 0);
        if (place > 0) assert.notEqual(objects[indexOf(verdict.owner)]?.fate, 'missing');
        // The plain reading of the rules: the first owner upwards that one of them is about.
        const matched = verdict.owners.findIndex((link) =>
          groupLevels.rules.some(({ kind }) => kind === link.reference.kind.toLowerCase()),
        );
        const matching = groupLevels.rules.find(
          ({ kind }) => kind === verdict.owners[matched]?.reference.kind.toLowerCase(),
        );
        const expected =
          matching !== undefined
            ? Math.max(0, matched + 1 + matching.adjustLevel)
            : groupLevels.withoutRule === 'root'
              ? verdict.owners.length
              : Math.min(1, verdict.owners.length);
        assert.equal(place, expected);
      }),
      { numRuns: 2000 },
    );
  });
});
