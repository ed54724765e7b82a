import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flowsOf } from '../../src/flows/flow-graph.ts';
import { flowName } from '../../src/flows/flow-name.ts';
import { FLOW, statusOf } from '../../src/flows/operation.ts';
import { operationStep } from '../../src/flows/operation-step.ts';
import { facts, finder, jobStatus, named, operation, report } from './operations.ts';

const pending = { phase: 'Pending', duration: 'Unfinished', observedGeneration: 1 } as const;
const begun = (onlyCluster: () => string | undefined) =>
  operationStep(operation('DataLoad', { status: pending }), facts({ onlyCluster })).status;

describe('an operation that may go to one cluster alone', () => {
  const started = begun(() => 'm1');
  const running = operation('DataLoad', { status: started });
  const statusAfter = (more: Parameters<typeof facts>[0]) =>
    operationStep(running, facts(more)).status;

  it('names it when it starts, and writes nothing when its Job gets there', () => {
    assert.deepEqual(started.clusters, [{ name: 'm1', phase: 'Pending' }]);
    assert.deepEqual(statusAfter({ report: report({}) }), started);
    assert.deepEqual(statusAfter({ report: report({ m1: undefined }) }), started);
    assert.equal(statusAfter({ report: report({ m1: jobStatus('complete') }) }).phase, 'Complete');
  });

  it('names none that it did not get to', () => {
    assert.equal(begun(() => undefined).clusters, undefined);
    const word = { status: 'False', reason: 'Held', message: 'the queue is full' } as const;
    assert.equal(statusAfter({ report: report({}), placedWord: word }).clusters, undefined);
    const elsewhere = statusAfter({ report: report({ m2: undefined }) });
    assert.deepEqual(elsewhere.clusters, [{ name: 'm2', phase: 'Pending' }]);
  });

  it('is over in none before that has said so', () => {
    assert.equal(
      statusOf({ ...running, status: statusAfter({ report: report({}) }) } as never).phase,
      'Executing',
    );
  });
});

describe('the name of a flow', () => {
  const steps = 1000;
  const step = (at: number) =>
    operation('DataLoad', {
      metadata: named(`step-${at}`),
      spec: at === 0 ? {} : { runAfter: { kind: 'DataLoad', name: `step-${at - 1}` } },
    });
  const all = Array.from({ length: steps }, (_, at) => step(at));
  const last = all.at(-1) as (typeof all)[number];

  it('is no empty label, which makes no flow of steps that have nothing to do with each other', () => {
    const alone = ['a', 'b'].map((name) =>
      operation('DataLoad', { metadata: named(name, { labels: { [FLOW]: '' } }) }),
    );
    assert.deepEqual(
      flowsOf(alone).map(({ name }) => name),
      ['a', 'b'],
    );
  });

  it('is that of its root, or what the label of a step says', () => {
    const find = finder(...all);
    assert.equal(flowName(last, find), 'step-0');
    const labelled = operation('DataLoad', { metadata: named('x', { labels: { [FLOW]: 'y' } }) });
    assert.equal(
      flowName(labelled, find, () => 'z'),
      'y',
    );
  });

  it('is told by the step before, without a walk to the root', () => {
    const find = finder(...all);
    let found = 0;
    const counting: typeof find = (key) => {
      found += 1;
      return find(key);
    };
    assert.equal(
      flowName(last, counting, () => 'nightly'),
      'nightly',
    );
    assert.equal(found, 1);
  });
});
