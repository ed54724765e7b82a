import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { DataLoad } from '../../../src/kinds/flows/data-load.ts';
import { assertRefused, stored } from '../admission.ts';

const load = (spec: object) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: { name: 'warmup', namespace: 'default' },
  spec,
});

const full = parse(`
dataset: { name: spark, namespace: default }
loadMetadata: true
target:
  - { path: /spark/spark-2.4.7, replicas: 1 }
  - { path: /spark/spark-3.0.1/pyspark.tar.gz, replicas: 2 }
options: { timeout: 30m }
podMetadata: { labels: { team: data }, annotations: { note: warm } }
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions: [{ key: type, operator: In, values: [gpu] }]
tolerations: [{ key: gpu, operator: Exists }]
nodeSelector: { disk: ssd }
schedulerName: volcano
policy: Cron
schedule: "*/10 * * * *"
ttlSecondsAfterFinished: 300
resources: { requests: { cpu: 500m, memory: 1Gi }, limits: { memory: 2Gi } }
`);

test('a load is kept with every field that Fluid has', () => {
  assert.deepEqual(stored(DataLoad, load(full)).spec, full);
});

test('a load runs once, on a dataset of its own namespace, unless it says otherwise', () => {
  for (const dataset of [{ name: 'spark' }, { name: 'spark', namespace: '' }]) {
    assert.deepEqual(stored(DataLoad, load({ dataset })).spec, {
      dataset: { name: 'spark', namespace: 'default' },
      policy: 'Once',
    });
  }
});

for (const schedule of ['* * * * *', '@hourly', '@every 90m', '0 3 * * MON-FRI']) {
  test(`the schedule ${schedule} will do`, () => {
    const after = stored(DataLoad, load({ dataset: full.dataset, policy: 'Cron', schedule }));
    assert.equal(after.spec.schedule, schedule);
  });
}

const { dataset } = full;
const refused: readonly (readonly [string, object, string, RegExp])[] = [
  ['a load of nothing', {}, 'spec.dataset', /Required/],
  ['a dataset without a name', { dataset: {} }, 'spec.dataset.name', /Required/],
  [
    'a dataset of another namespace',
    { dataset: { name: 'spark', namespace: 'other' } },
    'spec.dataset.namespace',
    /must be the namespace of the operation/,
  ],
  ['a target without a path', { dataset, target: [{}] }, 'spec.target[0].path', /Required/],
  ['an unknown policy', { dataset, policy: 'Twice' }, 'spec.policy', /Once/],
  ['a cron without a schedule', { dataset, policy: 'Cron' }, 'spec.schedule', /needs a schedule/],
  [
    'a cron with an empty schedule',
    { dataset, policy: 'Cron', schedule: '' },
    'spec.schedule',
    /needs a schedule/,
  ],
  [
    'a schedule of four fields',
    { dataset, policy: 'Cron', schedule: '* * * *' },
    'spec.schedule',
    /five fields/,
  ],
];

for (const [what, spec, field, message] of refused) {
  test(`refused: ${what}`, () => {
    assertRefused(DataLoad, load(spec), { field, message });
  });
}

test('a load keeps its dataset and its policy', () => {
  const old = stored(DataLoad, load(full));
  const message = /create a new one/;
  const moved = load({ ...full, dataset: { name: 'other' } });
  assertRefused(DataLoad, moved, { field: 'spec.dataset.name', message }, old);
  const once = load({ ...full, policy: 'Once' });
  assertRefused(DataLoad, once, { field: 'spec.policy', message }, old);
});
