import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { admit } from '../../../src/kind/admit.ts';
import { DataSourceClaim } from '../../../src/kinds/data/data-source-claim.ts';
import { refusedFields } from '../admission.ts';

const admitted = (text: string) => admit(DataSourceClaim, parse(text)).object;

const errorsOf = (text: string, old?: string): readonly string[] =>
  refusedFields(DataSourceClaim, parse(text), old === undefined ? undefined : admitted(old));

const AS_SHIPPED = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSourceClaim
metadata:
  name: report-needs-orders
  namespace: shop
spec:
  system: hive
  dataSourceType: table
  dataSourceName: dc1.sales.orders
  attributes: {format: parquet}
  workload:
    apiVersion: batch.volcano.sh/v1alpha1
    kind: Job
    name: report
`;

const AS_DESIGNED = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSourceClaim
metadata:
  name: reports-need-orders
  namespace: shop
spec:
  system: hive
  dataSourceType: table
  attributesSelector:
    matchLabels: {format: parquet}
    matchExpressions:
      - {key: year, operator: In, values: ["2024", "2025"]}
  workloadSelector:
    matchLabels: {app: report}
status:
  phase: Bound
  boundTo: hive-orders
`;

describe('a DataSourceClaim', () => {
  it('as shipped is about a workload of its own namespace', () => {
    const { spec } = parse(AS_SHIPPED);
    assert.deepEqual(admitted(AS_SHIPPED).spec, {
      ...spec,
      workload: { ...spec.workload, namespace: 'shop' },
    });
  });

  it('as shipped may say so itself', () => {
    assert.deepEqual(errorsOf(`${AS_SHIPPED}    namespace: shop\n`), []);
  });

  it('as designed selects workloads and data by labels', () => {
    assert.deepEqual(admitted(AS_DESIGNED).spec, parse(AS_DESIGNED).spec);
  });

  it('as designed says what it is bound to, under the shipped name', () => {
    assert.deepEqual(admitted(AS_DESIGNED).status, {
      phase: 'Bound',
      boundDataSource: 'hive-orders',
    });
  });

  it('may select every workload of its namespace', () => {
    const all = AS_DESIGNED.replace(
      'workloadSelector:\n    matchLabels: {app: report}',
      'workloadSelector: {}',
    );
    assert.deepEqual(errorsOf(all), []);
  });
});

describe('a DataSourceClaim is refused', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'for a workload of another tenant',
      `${AS_SHIPPED}    namespace: bank\n`,
      ['spec.workload.namespace FieldValueInvalid'],
    ],
    [
      'without a workload',
      AS_SHIPPED.slice(0, AS_SHIPPED.indexOf('  workload:')),
      ['spec.workload FieldValueRequired'],
    ],
    [
      'with both ways to say the workload',
      `${AS_SHIPPED}  workloadSelector: {matchLabels: {app: report}}\n`,
      ['spec.workloadSelector FieldValueForbidden'],
    ],
    [
      'for a workload without a kind',
      AS_SHIPPED.replace('    kind: Job\n', ''),
      ['spec.workload.kind FieldValueRequired'],
    ],
    [
      'without saying what data',
      AS_SHIPPED.replace('  system: hive\n  dataSourceType: table\n', ''),
      ['spec.dataSourceType FieldValueRequired', 'spec.system FieldValueRequired'],
    ],
    [
      'with a selector that compares in an unknown way',
      AS_DESIGNED.replace('operator: In', 'operator: Above'),
      ['spec.attributesSelector.matchExpressions[0].operator FieldValueNotSupported'],
    ],
    [
      'that asks for copies without a limit',
      `${AS_SHIPPED}  onMissing: Copy\n`,
      ['spec.copyLimit FieldValueRequired'],
    ],
    [
      'with a limit for copies that nobody makes',
      `${AS_SHIPPED}  onMissing: Wait\n  copyLimit: {bytes: 1Gi}\n`,
      ['spec.copyLimit FieldValueForbidden'],
    ],
    [
      'with a limit that is no amount',
      `${AS_SHIPPED}  onMissing: Copy\n  copyLimit: {bytes: a lot, cost: '1'}\n`,
      ['spec.copyLimit.bytes FieldValueInvalid'],
    ],
    [
      'that asks for copies and is a wish',
      `${AS_SHIPPED}  onMissing: Copy\n  copyLimit: {bytes: 1Gi}\n  preference: 5\n`,
      ['spec.preference FieldValueForbidden'],
    ],
    [
      'with a phase that is none',
      AS_DESIGNED.replace('phase: Bound', 'phase: Lost'),
      ['status.phase FieldValueNotSupported'],
    ],
  ];
  for (const [why, text, errors] of cases) {
    it(why, () => assert.deepEqual(errorsOf(text).toSorted(), errors));
  }
});

it('a DataSourceClaim can change in every part, and is then bound anew', () => {
  const changed = AS_SHIPPED.replace('hive', 's3')
    .replace('table', 'bucket')
    .replace('dc1.sales.orders', 'orders')
    .replace('name: report\n', 'name: forecast\n');
  assert.deepEqual(errorsOf(changed, AS_SHIPPED), []);
});
