import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Queue, QueueSpec, QueueStatus } from '@perigee/api/kinds/queues/queue';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { parentOf } from '@perigee/scheduling/queues/queue-names';
import { queueDeletionProblem, queueProblems } from '@perigee/scheduling/queues/queue-problems';
import { mayUse } from '../../src/queues/queue-rights.ts';

const queue = (name: string, spec: Partial<QueueSpec> = {}, status: QueueStatus = {}): Queue =>
  ({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '' },
    spec,
    status,
  }) as never;

const familyOf = (...queues: readonly Queue[]): QueueFamily => ({
  get: (name) => queues.find(({ metadata }) => metadata.name === name),
  childrenOf: (name) => queues.filter((one) => parentOf(one) === name),
});

/** The problems that a queue would have beside others; one of its name among them is how it was. */
const told = (next: Queue, ...others: readonly Queue[]): readonly string[] => {
  const family = familyOf(...others);
  return queueProblems(next, family.get(next.metadata.name), family).map(
    ({ field, message }) => `${field}: ${message}`,
  );
};

const cap = (cpu: string, parent?: string) => ({
  capability: { cpu },
  ...(parent === undefined ? {} : { parent }),
});
const given = (cpu: string, parent?: string) => ({
  guarantee: { resource: { cpu } },
  deserved: { cpu },
  ...(parent === undefined ? {} : { parent }),
});

suite('a queue beside the others', () => {
  test('needs its parent, which is not below it', () => {
    assert.deepEqual(told(queue('a', { parent: 'b' })), ['spec.parent: Not found: "b"']);
    assert.deepEqual(told(queue('a')), [], 'the root need not be there');
    assert.deepEqual(
      told(
        queue('a', { parent: 'c' }),
        queue('a'),
        queue('b', { parent: 'a' }),
        queue('c', { parent: 'b' }),
      ),
      ['spec.parent: Invalid value: "c": c is itself a part of a'],
    );
    assert.deepEqual(told(queue('root', { parent: 'a' }), queue('a')), [
      'spec.parent: Forbidden: nothing is above the root',
    ]);
  });

  test('stands within ten levels, also with what is below it', () => {
    const chain = Array.from({ length: 9 }, (_, at) =>
      queue(`q${at}`, at === 0 ? {} : { parent: `q${at - 1}` }),
    );
    assert.deepEqual(told(queue('last', { parent: 'q8' }), ...chain), []);
    const moved = queue('top', { parent: 'q8' });
    assert.deepEqual(told(moved, ...chain, queue('top'), queue('below', { parent: 'top' })), [
      'spec.parent: Invalid value: "q8": that makes 11 levels of queues, and 10 is the most',
    ]);
  });

  test('does not become part of a queue that has work', () => {
    const busy = queue('busy', {}, { running: 1 });
    assert.match(
      told(queue('a', { parent: 'busy' }), busy)[0] ?? '',
      /^spec.parent: Forbidden: work is in busy/,
    );
    const parent = queue('b', { parent: 'busy' });
    assert.deepEqual(
      told(queue('a', { parent: 'busy' }), busy, parent),
      [],
      'it is a parent already',
    );
  });

  test('has no more capability than the nearest above that limits it', () => {
    const [top, middle] = [queue('top', cap('10')), queue('middle', { parent: 'top' })];
    assert.deepEqual(told(queue('a', cap('20', 'middle')), top, middle), [
      'spec.capability[cpu]: Invalid value: "20": the capability of top, which it is a part of, is 10',
    ]);
    const narrow = queue('middle', cap('5', 'top'));
    assert.deepEqual(told(queue('a', cap('6', 'middle')), top, narrow), [
      'spec.capability[cpu]: Invalid value: "6": the capability of middle, which it is a part of, is 5',
    ]);
    assert.deepEqual(told(queue('a', { parent: 'top', capability: { memory: '1Ti' } }), top), []);
  });

  test('keeps the capability of what is below it', () => {
    const [top, middle] = [queue('top', cap('20')), queue('middle', { parent: 'top' })];
    const leaf = queue('leaf', cap('12', 'middle'));
    assert.deepEqual(told(queue('top', cap('10')), top, middle, leaf), [
      'spec.capability[cpu]: Invalid value: "10": leaf, which is a part of it, has 12',
    ]);
    assert.deepEqual(told(queue('top', cap('12')), top, middle, leaf), []);
  });

  test('shares what its parent has with its siblings', () => {
    const [top, other] = [queue('top', given('8')), queue('b', given('2', 'top'))];
    assert.deepEqual(told(queue('a', given('7', 'top')), top, other), [
      'spec.guarantee.resource[cpu]: Invalid value: "7": with the other parts of top that makes 9, and it has 8',
      'spec.deserved[cpu]: Invalid value: "7": with the other parts of top that makes 9, and it has 8',
    ]);
    assert.deepEqual(told(queue('a', given('6', 'top')), top, other), []);
    assert.deepEqual(
      told(queue('a', given('7')), queue('b', given('200'))),
      [],
      'the root has no amounts',
    );
  });

  test('has as much as its parts together', () => {
    const parts = [queue('a', given('8', 'top')), queue('b', given('5', 'top'))];
    assert.deepEqual(told(queue('top', given('10')), queue('top', given('13')), ...parts), [
      'spec.guarantee.resource[cpu]: Invalid value: "10": the queues that are parts of it have 13 together',
      'spec.deserved[cpu]: Invalid value: "10": the queues that are parts of it have 13 together',
    ]);
  });

  test('is guaranteed nothing that the queue above may not use', () => {
    const [top, other] = [queue('top', cap('8')), queue('b', given('2', 'top'))];
    assert.deepEqual(told(queue('a', given('7', 'top')), top, other), [
      'spec.guarantee.resource[cpu]: Invalid value: "7": with the other parts of top that makes 9, and it has 8',
    ]);
    assert.deepEqual(told(queue('a', given('6', 'top')), top, other), []);
    const parts = [queue('a', given('6', 'top')), other];
    assert.deepEqual(told(queue('top', cap('7')), top, ...parts), [
      'spec.capability[cpu]: Invalid value: "7": the queues that are parts of it have 8 together',
    ]);
  });

  test('is not judged anew when its spec stays', () => {
    const orphan = queue('a', { parent: 'gone' });
    assert.deepEqual(told({ ...orphan, spec: { ...orphan.spec } }, orphan), []);
  });
});

suite('the end of a queue', () => {
  test('is refused for those that are always there, have parts, or have work', () => {
    const none = familyOf();
    assert.equal(queueDeletionProblem(queue('default'), none), 'the queue default is always there');
    assert.equal(queueDeletionProblem(queue('root'), none), 'the queue root is always there');
    const child = familyOf(queue('a', { parent: 'top' }));
    assert.equal(queueDeletionProblem(queue('top'), child), 'the queue a is a part of it');
    assert.equal(
      queueDeletionProblem(queue('a', {}, { running: 1, pending: 3 }), none),
      'work is in the queue: 1 running, 3 waiting; close it, and wait until it is empty',
    );
    assert.equal(
      queueDeletionProblem(queue('a', {}, { completed: 3, pending: 0 }), none),
      undefined,
    );
  });
});

suite('who may use a queue', () => {
  const open = (text: string): Queue => {
    const made = queue('a');
    const annotations = { 'queue.perigee.io/namespaces': text };
    return { ...made, metadata: { ...made.metadata, annotations } };
  };

  test('is said by the labels of namespaces', () => {
    assert.ok(mayUse(queue('a'), {}), 'everybody unless it is said');
    assert.ok(mayUse(open('team in (a, b)'), { team: 'a' }));
    assert.ok(!mayUse(open('team in (a, b)'), { team: 'c' }));
    assert.ok(!mayUse(open('team in ('), { team: 'a' }), 'nobody when it cannot be read');
  });

  test('has to be readable', () => {
    assert.match(
      told(open('team in ('))[0] ?? '',
      /^metadata.annotations\[queue.perigee.io\/namespaces\]/,
    );
  });
});
