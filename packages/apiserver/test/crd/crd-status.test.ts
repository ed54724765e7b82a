import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { namesInUse } from '../../src/crd/accept-names.ts';
import { type CrdDeletion, nextCrdStatus } from '../../src/crd/crd-status.ts';
import { defaultCrd, prepareCrd } from '../../src/crd/default-crd.ts';
import { widgetCrd } from './widget-crd.ts';

const NOW = '2026-01-02T03:04:05Z';
const LATER = '2026-01-02T04:00:00Z';

const written = (names: JsonObject = {}): JsonObject =>
  prepareCrd(defaultCrd(widgetCrd({ names: { plural: 'widgets', kind: 'Widget', ...names } })));

const other = (acceptedNames: JsonObject, group = 'example.com'): JsonObject => ({
  metadata: { name: `gadgets.${group}` },
  spec: { group },
  status: { acceptedNames: { plural: 'gadgets', singular: 'gadget', ...acceptedNames } },
});

const withStatus = (
  crd: JsonObject,
  others: readonly JsonObject[] = [],
  { now = NOW, deletion }: { now?: string; deletion?: CrdDeletion } = {},
): JsonObject => {
  const inUse = namesInUse([crd, ...others], 'example.com', 'widgets.example.com');
  const input = { inUse, now, ...(deletion ? { deletion } : {}) };
  return { ...crd, status: nextCrdStatus(crd, input) };
};

const conditions = (crd: JsonObject): readonly JsonObject[] =>
  (crd.status as { readonly conditions: readonly JsonObject[] }).conditions;
const reasons = (crd: JsonObject) =>
  conditions(crd).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

describe('the status of a CRD', () => {
  it('is that of kube-apiserver once its names are accepted', () => {
    const crd = withStatus(written({ shortNames: ['wd'], categories: ['all'] }));
    assert.deepEqual(crd.status, {
      storedVersions: ['v1'],
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
        categories: ['all'],
      },
      conditions: [
        {
          lastTransitionTime: NOW,
          message: 'no conflicts found',
          reason: 'NoConflicts',
          status: 'True',
          type: 'NamesAccepted',
        },
        {
          lastTransitionTime: NOW,
          message: 'the initial names have been accepted',
          reason: 'InitialNamesAccepted',
          status: 'True',
          type: 'Established',
        },
      ],
    });
  });

  it('stays the same object while nothing changes', () => {
    const crd = withStatus(written());
    assert.equal(withStatus(crd, [], { now: LATER }).status, crd.status);
  });

  const conflicts: readonly [string, JsonObject, string, string][] = [
    ['plural', { plural: 'widgets' }, 'PluralConflict', '"widgets" is already in use'],
    ['plural as a short name', { shortNames: ['widgets'] }, 'PluralConflict', '"widgets" is'],
    ['singular', { singular: 'widget' }, 'SingularConflict', '"widget" is already in use'],
    ['kind', { kind: 'Widget' }, 'KindConflict', '"Widget" is already in use'],
    ['list kind', { kind: 'WidgetList' }, 'ListKindConflict', '"WidgetList" is already in use'],
    [
      'short names',
      { shortNames: ['wd', 'wg'] },
      'ShortNamesConflict',
      '["wd" is already in use, "wg" is already in use]',
    ],
  ];
  for (const [what, names, reason, message] of conflicts) {
    it(`tells of a conflict of its ${what}, and is not established`, () => {
      const crd = withStatus(written({ shortNames: ['wd', 'wg'] }), [other(names)]);
      assert.deepEqual(reasons(crd), [
        `NamesAccepted=False ${reason}`,
        'Established=False NotAccepted',
      ]);
      assert.ok(String(conditions(crd)[0]?.message).startsWith(message));
    });
  }

  it('knows no conflict with another group', () => {
    const crd = withStatus(written(), [other({ plural: 'widgets' }, 'example.org')]);
    assert.deepEqual(reasons(crd)[0], 'NamesAccepted=True NoConflicts');
  });

  it('gets its names when they become free', () => {
    const waiting = withStatus(written(), [other({ kind: 'Widget' })]);
    const crd = withStatus(waiting, [], { now: LATER });
    assert.deepEqual(reasons(crd), [
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
    assert.equal(conditions(crd)[1]?.lastTransitionTime, LATER);
  });

  it('stays established, with its old names, when it asks for taken ones', () => {
    const crd = withStatus(written());
    const renamed = { ...crd, spec: written({ singular: 'thing', shortNames: ['th'] }).spec };
    const after = withStatus(renamed as JsonObject, [other({ singular: 'thing' })]);
    assert.deepEqual(reasons(after), [
      'NamesAccepted=False SingularConflict',
      'Established=True InitialNamesAccepted',
    ]);
    const { acceptedNames } = after.status as { readonly acceptedNames: JsonObject };
    assert.equal(acceptedNames.singular, 'widget');
    assert.deepEqual(acceptedNames.shortNames, ['th']);
  });

  it('says how far a deletion is', () => {
    const going = withStatus(withStatus(written()), [], { deletion: 'in-progress' });
    assert.equal(reasons(going)[2], 'Terminating=True InstanceDeletionInProgress');
    const gone = withStatus(going, [], { deletion: 'completed' });
    assert.equal(reasons(gone)[2], 'Terminating=False InstanceDeletionCompleted');
    const never = withStatus(written(), [], { deletion: 'never-established' });
    assert.equal(reasons(never)[2], 'Terminating=False NeverEstablished');
  });

  it('says why a schema from an older server is not structural, until it is', () => {
    const crd = written();
    const version = { name: 'v1', served: true, storage: true };
    const open = (type?: string) => ({
      ...crd,
      spec: {
        ...(crd.spec as JsonObject),
        versions: [{ ...version, schema: { openAPIV3Schema: { ...(type ? { type } : {}) } } }],
      },
    });
    const bad = withStatus(open());
    assert.deepEqual(conditions(bad)[2], {
      lastTransitionTime: NOW,
      message:
        'spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root',
      reason: 'Violations',
      status: 'True',
      type: 'NonStructuralSchema',
    });
    assert.equal(reasons(withStatus({ ...open('object'), status: bad.status })).length, 2);
  });
});
