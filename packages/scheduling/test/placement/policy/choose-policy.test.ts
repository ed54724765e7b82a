import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  propagatedBy,
  withoutPolicy,
  withPolicy,
} from '@perigee/scheduling/placement/policy/propagated-by';
import {
  choosePolicy,
  mayPreempt,
  type Policy,
} from '../../../src/placement/policy/choose-policy.ts';

const object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web' },
    uid: '1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
};

const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };

const policy = (
  name: string,
  selector: object,
  { priority = 0, preemption = 'Never' as 'Never' | 'Always', namespace = 'shop' } = {},
): Policy => ({
  metadata: { name, ...(namespace === '' ? {} : { namespace }), labels: {} },
  spec: { resourceSelectors: [{ ...kind, ...selector }], priority, preemption },
});

const byName = policy('by-name', { name: 'web' });
const byLabel = policy('by-label', { labelSelector: { matchLabels: { app: 'web' } } });
const byKind = policy('by-kind', {});

describe('choosing a policy', () => {
  const cases: readonly (readonly [string, readonly Policy[], string | undefined])[] = [
    ['a name before labels before the kind', [byKind, byLabel, byName], 'by-name'],
    ['labels before the kind', [byKind, byLabel], 'by-label'],
    ['priority before precision', [byName, policy('important', {}, { priority: 1 })], 'important'],
    ['the first by name among equals', [policy('b', {}), policy('a', {})], 'a'],
    ['nothing that selects another name', [policy('other', { name: 'api' })], undefined],
    ['nothing of another kind', [policy('other', { kind: 'Job' })], undefined],
    ['nothing of another namespace', [policy('other', { namespace: 'bank' })], undefined],
    [
      'labels have no effect beside a name',
      [policy('named', { name: 'web', labelSelector: { matchLabels: { app: 'no' } } })],
      'named',
    ],
    [
      'a selector that cannot be read selects nothing',
      [policy('bad', { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } })],
      undefined,
    ],
  ];
  for (const [title, policies, expected] of cases) {
    it(title, () => assert.equal(choosePolicy(policies, object)?.metadata.name, expected));
  }

  it('passes over policies that are being deleted', () => {
    const going = {
      ...byName,
      metadata: { ...byName.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    assert.equal(choosePolicy([going, byKind], object), byKind);
  });
});

describe('taking an object from another policy', () => {
  const always = { preemption: 'Always' as const };
  const cases: readonly (readonly [string, Policy, Policy, boolean])[] = [
    ['needs leave', policy('a', {}, { priority: 9 }), byKind, false],
    ['needs a higher priority', policy('a', {}, { ...always }), byKind, false],
    ['takes from a lower priority', policy('a', {}, { ...always, priority: 1 }), byKind, true],
    [
      'takes from any cluster-wide policy',
      policy('a', {}, always),
      policy('b', {}, { namespace: '', priority: 9 }),
      true,
    ],
    [
      'a cluster-wide policy never takes from one with a namespace',
      policy('a', {}, { ...always, namespace: '', priority: 9 }),
      byKind,
      false,
    ],
  ];
  for (const [title, challenger, owner, expected] of cases) {
    it(title, () => assert.equal(mayPreempt(challenger, owner), expected));
  }
});

describe('the marks of a policy', () => {
  const id = { 'propagationpolicy.karmada.io/permanent-id': 'p1' };
  const owner = { ...byName, metadata: { ...byName.metadata, labels: id } };
  const wideId = { 'clusterpropagationpolicy.karmada.io/permanent-id': 'c1' };
  const wide = { ...byKind, metadata: { name: 'wide', labels: wideId } };

  it('are told by what they left', () => {
    const marked = withPolicy({ labels: { app: 'web' } }, owner);
    assert.deepEqual(propagatedBy(marked), { namespace: 'shop', name: 'by-name', id: 'p1' });
    assert.equal(marked.labels?.app, 'web');
  });

  it('replace each other', () => {
    const marked = withPolicy(withPolicy({}, wide), owner);
    assert.deepEqual(marked.labels, id);
    assert.deepEqual(propagatedBy(withPolicy(marked, wide)), { name: 'wide', id: 'c1' });
  });

  it('go without a trace', () => {
    const before = { labels: { app: 'web' }, annotations: { note: 'x' } };
    assert.deepEqual(withoutPolicy(withPolicy(before, owner)), before);
  });

  it('hold only with all their parts', () => {
    const { labels } = withPolicy({}, owner);
    assert.equal(propagatedBy({ labels }), undefined);
  });
});
