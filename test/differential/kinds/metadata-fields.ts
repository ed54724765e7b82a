import { at, type Field } from './kind-pool.ts';

const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner' };
const UIDS = ['6a0a2f6e-0000-4000-8000-000000000001', '6a0a2f6e-0000-4000-8000-000000000002'];

/** Metadata that every user may write. */
export const METADATA_FIELDS: readonly Field[] = [
  at('metadata.labels.a', '1', '2', ''),
  at('metadata.labels.b', 'x'),
  at(['metadata', 'labels', 'app.kubernetes.io/name'], 'one', 'two'),
  at('metadata.labels', { a: '1' }),
  at('metadata.annotations.note', 'one', 'two', 'a "quoted"\nline', '<a> & b'),
  at('metadata.annotations', { other: '' }),
  at('metadata.finalizers', ['example.com/x'], ['example.com/x', 'example.com/y']),
  at(
    'metadata.ownerReferences',
    [{ ...OWNER, uid: UIDS[0] as string }],
    [
      { ...OWNER, uid: UIDS[0] as string, controller: true, blockOwnerDeletion: true },
      { ...OWNER, uid: UIDS[1] as string, name: 'second' },
    ],
  ),
];

/** Metadata that the server refuses, overwrites or warns about. */
export const ODD_METADATA_FIELDS: readonly Field[] = [
  at(['metadata', 'labels', 'bad key!'], 'x'),
  at('metadata.labels.a', 'not valid!', 5, 'x'.repeat(64)),
  at(['metadata', 'annotations', 'a/b/c'], 'x'),
  at('metadata.annotations.note', 7),
  at('metadata.finalizers', ['not valid'], ['kubernetes'], ['example.com/x', 'example.com/x']),
  at(
    'metadata.ownerReferences',
    [{ ...OWNER, uid: '' }],
    [
      { ...OWNER, uid: UIDS[0] as string, controller: true },
      { ...OWNER, uid: UIDS[1] as string, controller: true },
    ],
    [
      { ...OWNER, uid: UIDS[0] as string },
      { ...OWNER, uid: UIDS[0] as string },
    ],
  ),
  at('metadata.managedFields', [], [{}], null),
  at('metadata.managedFields', [
    { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2' },
  ]),
  at('metadata.uid', UIDS[0] as string),
  at('metadata.creationTimestamp', '2020-01-01T00:00:00Z'),
  at('metadata.creationTimestamp', 'never', null),
  at('metadata.deletionTimestamp', '2020-01-01T00:00:00Z'),
  at('metadata.deletionGracePeriodSeconds', 5),
  at('metadata.generation', 7),
  at('metadata.selfLink', '/somewhere'),
  at('metadata.resourceVersion', '', '1', 'x'),
  at('metadata.labels', {}, null),
  at('metadata.annotations', {}),
  at('metadata.finalizers', [], null),
  at('metadata.ownerReferences', []),
  at('metadata.name', 'other', 'Not_Valid', ''),
  at('metadata.namespace', 'other', ''),
  at('metadata.bogus', 1),
  at('bogus', 'x', { y: [1] }),
  at('apiVersion', 'v7', ''),
  at('kind', 'Other', ''),
  at('metadata', null, 'x'),
];
