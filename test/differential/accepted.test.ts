import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { acceptedAs } from './accepted.ts';
import type { Situation } from './accepted-difference.ts';
import { type Difference, differencesOf } from './difference.ts';
import type { Operation } from './operation.ts';

const situationOf = (
  left: JsonObject,
  right: JsonObject,
  rest: Partial<Situation> = {},
): Situation => ({
  left,
  right,
  before: [],
  differences: differencesOf('body', left, right),
  ...rest,
});

/** Differences between the two answers that are not accepted. */
const unexplained = (about: Operation, situation: Situation): readonly string[] =>
  situation.differences
    .filter((difference) => acceptedAs(about, difference, situation) === undefined)
    .map(({ path }) => path);

const versioned = (version: number, rest: JsonObject = {}): JsonObject => ({
  metadata: { resourceVersion: `<version ${version}>` },
  ...rest,
});

suite('what is accepted of a version that differs on a custom resource', () => {
  const about: Operation = { verb: 'patch', kind: 'Widget', slot: 'a', patchType: 'merge' };
  const nulls: Operation = {
    verb: 'apply',
    kind: 'Widget',
    slot: 'a',
    changes: [{ path: ['metadata', 'finalizers'], value: null }],
  };
  const [older, newer] = [versioned(1), versioned(2)];

  test('the write after an apply that made labels and the like null', () => {
    assert.deepEqual(unexplained(about, situationOf(older, newer, { before: [nulls] })), []);
  });

  test('the write after an apply that no longer names the labels of an earlier one', () => {
    const query = { fieldManager: 'bob' };
    const labels = [{ path: ['metadata', 'labels', 'a'], value: '1' }];
    const apply: Operation = { ...nulls, query, changes: labels };
    const letGo: Operation = { ...apply, changes: [] };
    const before = [apply, letGo];
    assert.deepEqual(unexplained(about, situationOf(older, newer, { before })), []);
    const live = { metadata: { labels: { b: 'x' } } };
    const other: Operation = { ...letGo, query: { fieldManager: 'carol' } };
    for (const rest of [{ before, live }, { before: [apply] }, { before: [apply, other] }]) {
      assert.equal(unexplained(about, situationOf(older, newer, rest)).length, 1);
    }
  });

  test('no write to what nobody has applied null to', () => {
    const others: readonly Operation[] = [
      { ...nulls, slot: 'b' },
      { ...nulls, subresource: 'status' },
      { ...nulls, query: { dryRun: 'All' } },
      { ...nulls, changes: [{ path: ['spec', 'tags'], value: null }] },
      { ...nulls, verb: 'update' },
    ];
    for (const before of [[], ...others.map((other) => [other])]) {
      const paths = unexplained(about, situationOf(older, newer, { before }));
      assert.deepEqual(paths, ['body.metadata.resourceVersion']);
    }
  });

  test('no change of ours that kube-apiserver does not make, and none beside others', () => {
    const before = [nulls];
    assert.equal(unexplained(about, situationOf(newer, older, { before })).length, 1);
    const third = versioned(2, { spec: { size: 2 } });
    const paths = unexplained(about, situationOf(older, third, { before }));
    assert.deepEqual(paths, ['body.metadata.resourceVersion', 'body.spec']);
  });
});

suite('what is accepted of fields that are missing in a deletion', () => {
  const dry: Operation = {
    verb: 'delete',
    kind: 'ClusterRole',
    slot: 'a',
    body: { propagationPolicy: 'Background', dryRun: ['All'] },
  };
  const live = { metadata: { finalizers: ['orphan'] } };
  const status = { kind: 'Status', status: 'Success', details: { name: 'a', uid: '<uid 1>' } };
  const empty = { kind: 'ClusterRole', metadata: {}, rules: null };

  test('an empty object for the dry run of a deletion that takes finalizers away', () => {
    assert.deepEqual(unexplained(dry, situationOf(status, empty, { live })), []);
  });

  test('nothing where the object is shown, or nothing is told of what goes', () => {
    const role = { kind: 'ClusterRole', metadata: { name: 'a', uid: '<uid 1>' }, rules: [] };
    const { rules: _, ...without } = role;
    assert.deepEqual(unexplained(dry, situationOf(without, role, { live })), ['body.rules']);
    const nothing = { kind: 'Status', status: 'Success' };
    assert.notDeepEqual(unexplained(dry, situationOf(nothing, empty, { live })), []);
  });

  test('nothing where no finalizer can have been taken away, or the object has really gone', () => {
    const really: Operation = { ...dry, body: { propagationPolicy: 'Background' } };
    const same: Operation = { ...dry, body: { propagationPolicy: 'Orphan', dryRun: ['All'] } };
    const otherLive = { metadata: { finalizers: ['example.com/x'] } };
    assert.notDeepEqual(unexplained(dry, situationOf(status, empty)), []);
    assert.notDeepEqual(unexplained(dry, situationOf(status, empty, { live: otherLive })), []);
    assert.notDeepEqual(unexplained(same, situationOf(status, empty, { live })), []);
    assert.notDeepEqual(unexplained(really, situationOf(status, empty, { live })), []);
  });
});

suite('what is accepted of the policy for traffic within a cluster', () => {
  const about: Operation = {
    verb: 'apply',
    kind: 'Service',
    slot: 'a',
    changes: [{ path: ['spec', 'internalTrafficPolicy'], value: 'Local' }],
  };
  const nameOnly = { spec: { type: 'ExternalName' } };
  const usual = { spec: { type: 'ClusterIP', internalTrafficPolicy: 'Cluster' } };
  const conflictAbout = (field: string): Difference => {
    const message = `Apply failed with 1 conflict: conflict with "bob" using v1: ${field}`;
    return { path: 'status', left: { status: 409, message }, right: { status: 200 } };
  };
  const unexplainedPaths = (difference: Difference, live: JsonObject): readonly string[] =>
    unexplained(about, situationOf({}, {}, { differences: [difference], live }));

  test('a conflict about it, while the service is a name only', () => {
    const conflict = conflictAbout('.spec.internalTrafficPolicy');
    assert.deepEqual(unexplainedPaths(conflict, nameOnly), []);
    assert.deepEqual(unexplainedPaths(conflict, usual), ['status']);
    assert.deepEqual(unexplainedPaths(conflictAbout('.spec.type'), nameOnly), ['status']);
  });

  test('that it is missing, or the usual one again, only where the service is or was a name only', () => {
    const local = { spec: { type: 'ClusterIP', internalTrafficPolicy: 'Local' } };
    const path = 'body.spec.internalTrafficPolicy';
    assert.deepEqual(unexplained(about, situationOf(usual, local, { live: nameOnly })), []);
    assert.deepEqual(unexplained(about, situationOf(usual, local, { live: usual })), [path]);
    const without = { spec: { type: 'ClusterIP' } };
    assert.deepEqual(unexplained(about, situationOf(without, local)), [path]);
    const withPolicy = { spec: { type: 'ExternalName', internalTrafficPolicy: 'Local' } };
    assert.deepEqual(unexplained(about, situationOf(nameOnly, withPolicy)), []);
  });

  test('its owners likewise, and the version of a service that is replaced by itself', () => {
    const path = 'body.metadata.managedFields[0].fieldsV1.f:spec.f:internalTrafficPolicy';
    const owner: Difference = { path, left: {}, right: undefined };
    assert.deepEqual(unexplainedPaths(owner, nameOnly), []);
    assert.deepEqual(unexplainedPaths(owner, usual), [path]);
    const update: Operation = { verb: 'update', kind: 'Service', slot: 'a' };
    const [older, newer] = [versioned(1, nameOnly), versioned(2, nameOnly)];
    assert.deepEqual(unexplained(update, situationOf(older, newer, { live: nameOnly })), []);
    assert.equal(unexplained(update, situationOf(older, newer, { live: usual })).length, 1);
  });
});

suite('what is accepted of a patch with several values that do not fit', () => {
  const about: Operation = {
    verb: 'patch',
    kind: 'Service',
    slot: 'a',
    patchType: 'json',
    patch: [],
  };
  const misfitOf = (field: string): JsonObject => ({
    message: `patch: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.${field} of type string`,
  });

  test('another of them is told first', () => {
    const situation = situationOf(misfitOf('labels'), misfitOf('annotations'));
    assert.deepEqual(unexplained(about, situation), []);
  });

  test('not that one side tells something else', () => {
    const situation = situationOf({ message: 'patch: Required value' }, misfitOf('annotations'));
    assert.deepEqual(unexplained(about, situation), ['body.message']);
  });
});
