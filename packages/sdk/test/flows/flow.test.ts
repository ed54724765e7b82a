import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../../src/errors.ts';
import { type Flow, flow } from '../../src/flows/flow.ts';
import { toOperations } from '../../src/flows/to-operations.ts';

const written = ({ description }: Pick<Flow<string, string>, 'description'>) =>
  toOperations(description, 'default').map(({ operation }) =>
    JSON.parse(JSON.stringify(operation)),
  );

describe('a flow that is described', () => {
  it('runs each step after the one before, unless it says otherwise', () => {
    const operations = written(
      flow('train')
        .migrate({ from: 's3://bucket/images/', to: 'images' })
        .load({ dataset: 'images' })
        .process(() => 1, { name: 'left', after: 'load' })
        .process(() => 2, { name: 'right', after: 'load' })
        .backup({ dataset: 'images', backupPath: 'pvc://backups/a', after: ['left', 'right'] })
        .load({ name: 'alone', dataset: 'other', after: [] }),
    );
    const after = operations.map(({ metadata, spec }) => [
      metadata.name,
      spec.runAfter?.name,
      spec.runAfterAll?.map((one: { name: string }) => one.name),
    ]);
    assert.deepEqual(after, [
      ['train-migrate', undefined, undefined],
      ['train-load', 'train-migrate', undefined],
      ['train-left', 'train-load', undefined],
      ['train-right', 'train-load', undefined],
      ['train-backup', 'train-left', ['train-right']],
      ['train-alone', undefined, undefined],
    ]);
    assert.ok(operations.every(({ metadata }) => metadata.labels['fluid.io/dataflow'] === 'train'));
  });

  it('writes places as the kinds do', () => {
    const [migrate, load, process] = written(
      flow('f', { namespace: 'a', simulate: true })
        .migrate({ from: 's3://bucket/dir/', to: { dataset: { name: 'images', path: '/in' } } })
        .load({ dataset: 'images', annotations: { a: 'b' } })
        .process({
          processor: { script: { image: 'busybox', command: ['sh'], source: 'ls' } },
          mountPath: '/in',
          produces: ['out'],
        }),
    );
    assert.deepEqual(migrate.spec, {
      from: { externalStorage: { uri: 's3://bucket/dir/' } },
      to: { dataset: { name: 'images', path: '/in' } },
    });
    assert.deepEqual(load.metadata.annotations, { a: 'b', 'flows.perigee.io/simulate': 'true' });
    assert.deepEqual(process.spec.dataset, { name: 'images', mountPath: '/in' });
    assert.deepEqual(process.spec.produces, [{ dataset: { name: 'out' } }]);
  });

  it('runs a function by node, in the image of this version unless given', () => {
    const major = process.versions.node.split('.')[0];
    const [usual, given] = written(
      flow('f')
        .process(({ data }) => data, { name: 'usual', dataset: 'raw' })
        .process(({ data }) => data, {
          name: 'given',
          image: 'registry:5000/mine@sha256:abc',
          mountPath: '/mnt',
          serviceAccountName: 'me',
        }),
    );
    const { script } = usual.spec.processor;
    assert.deepEqual([script.image, script.imageTag], ['node', `${major}-slim`]);
    assert.deepEqual(script.command, ['node']);
    assert.match(script.source, /"data":"\/data","dataset":"raw"|"dataset":"raw".*"data":"\/data"/);
    assert.equal(given.spec.dataset.name, 'raw');
    assert.equal(given.spec.processor.script.image, 'registry:5000/mine@sha256:abc');
    assert.equal(given.spec.processor.script.imageTag, undefined);
    assert.equal(given.spec.processor.serviceAccountName, 'me');
  });

  it('stays as it is when it is gone on with', () => {
    const start = flow('f').load({ dataset: 'raw' });
    start.process(() => 1);
    assert.equal(start.description.steps.length, 1);
  });

  const anyFlow = flow('f') as unknown as Flow<string, string>;
  const wrong: readonly [string, () => unknown, RegExp][] = [
    [
      'a step that is not there',
      () => anyFlow.load({ dataset: 'raw' }).load({ name: 'b', dataset: 'raw', after: 'laod' }),
      /cannot run after laod, .* those before it are load/,
    ],
    ['itself', () => anyFlow.load({ dataset: 'raw', after: 'load' }), /cannot run after itself/],
    [
      'a name twice',
      () => anyFlow.load({ dataset: 'raw' }).load({ dataset: 'raw' }),
      /there is a step load already/,
    ],
    [
      'a name that cannot be',
      () => anyFlow.load({ name: 'Warm_up', dataset: 'raw' }),
      /"Warm_up" names no step/,
    ],
    ['a flow that cannot be', () => flow('Train!'), /"Train!" names no flow/],
    ['no Dataset', () => anyFlow.process(() => 1), /works on no Dataset/],
  ];
  for (const [name, describeIt, why] of wrong) {
    it(`refuses ${name}`, () => {
      assert.throws(describeIt, (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, why);
        return true;
      });
    });
  }
});
