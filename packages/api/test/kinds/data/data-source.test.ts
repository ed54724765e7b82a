import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { admit } from '../../../src/kind/admit.ts';
import { toCrd } from '../../../src/kind/crd.ts';
import { DataSource } from '../../../src/kinds/data/data-source.ts';
import { refusedFields } from '../admission.ts';

const admitted = (text: string) => admit(DataSource, parse(text)).object;

const errorsOf = (text: string, old?: string): readonly string[] =>
  refusedFields(DataSource, parse(text), old === undefined ? undefined : admitted(old));

const ORDERS = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSource
metadata:
  name: hive-orders
spec:
  system: hive
  type: table
  name: dc1.sales.orders
  locality:
    clusterNames: [member1, member2]
`;

describe('a DataSource as the design describes it', () => {
  const text = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSource
metadata:
  name: hive-orders
spec:
  system: hive
  type: table
  name: dc1.sales.orders
  locality:
    clusterAffinity:
      labelSelector:
        matchLabels: {region: eu}
      fieldSelector:
        matchExpressions:
          - {key: provider, operator: In, values: [huawei]}
      exclude: [member9]
  attributes:
    format: parquet
  reclaimPolicy: Delete
status:
  claimRef:
    - {kind: DataSourceClaim, namespace: shop, name: needs-orders}
  boundClaims: 1
  conditions:
    - type: Ready
      status: "True"
      reason: Registered
      message: registered by the operator
      lastTransitionTime: "2025-06-01T10:00:00Z"
`;

  it('keeps the rule for its clusters', () => {
    assert.deepEqual(admitted(text).spec, parse(text).spec);
  });

  it('stores the claims under the shipped name', () => {
    const { claimRef, ...status } = parse(text).status;
    assert.deepEqual(admitted(text).status, { ...status, claimRefs: claimRef });
  });
});

describe('a DataSource as Volcano Global ships it', () => {
  it('is kept when its last claim goes, unless it says otherwise', () => {
    assert.deepEqual(admitted(ORDERS).spec, { ...parse(ORDERS).spec, reclaimPolicy: 'Retain' });
  });

  it('may be nowhere yet', () => {
    const nowhere = ORDERS.replace('[member1, member2]', '[]');
    assert.deepEqual(admitted(nowhere).spec.locality, { clusterNames: [] });
  });
});

describe('a DataSource is refused', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'without a place',
      ORDERS.replace('clusterNames: [member1, member2]', '{}').replace(
        'locality:\n    {}',
        'locality: {}',
      ),
      ['spec.locality FieldValueRequired'],
    ],
    [
      'without an identity',
      ORDERS.replace('  system: hive\n', '').replace('name: dc1.sales.orders', 'name: ""'),
      ['spec.name FieldValueInvalid', 'spec.system FieldValueRequired'],
    ],
    [
      'in a cluster twice',
      ORDERS.replace('member2', 'member1'),
      ['spec.locality.clusterNames[1] FieldValueDuplicate'],
    ],
    [
      'with a reclaim policy of its own making',
      `${ORDERS}  reclaimPolicy: Recycle\n`,
      ['spec.reclaimPolicy FieldValueNotSupported'],
    ],
    [
      'with an attribute that is not text',
      `${ORDERS}  attributes: {year: 2025}\n`,
      ['spec.attributes.year FieldValueTypeInvalid'],
    ],
  ];
  for (const [why, text, errors] of cases) {
    it(why, () => assert.deepEqual(errorsOf(text).toSorted(), errors));
  }
});

describe('an update of a DataSource', () => {
  for (const [field, text] of [
    ['system', ORDERS.replace('system: hive', 'system: s3')],
    ['type', ORDERS.replace('type: table', 'type: view')],
    ['name', ORDERS.replace('name: dc1.sales.orders', 'name: dc1.sales.returns')],
  ] as const) {
    it(`cannot change its ${field}`, () => {
      assert.deepEqual(errorsOf(text, ORDERS), [`spec.${field} FieldValueInvalid`]);
    });
  }

  it('can change where the data is and what is known about it', () => {
    const moved = `${ORDERS.replace('member1', 'member3')}  attributes: {format: orc}\n  reclaimPolicy: Delete\n`;
    assert.deepEqual(errorsOf(moved, ORDERS), []);
  });
});

it('DataSource takes no short name of the Kubernetes core', () => {
  const { spec } = toCrd(DataSource) as { spec: { names: { shortNames: string[] } } };
  assert.deepEqual(spec.names.shortNames, ['dsrc']);
});
