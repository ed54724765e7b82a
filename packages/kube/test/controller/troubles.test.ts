import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineController } from '@perigee/kube/controller/define-controller';
import { ApiError } from '@perigee/kube/errors';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { setUpController } from './controller-fixture.ts';

const errorsIn = (log: readonly string[]): readonly string[] =>
  log.filter((line) => line.includes('"level":"error"') || / error /i.test(line));

test('an error is logged once, counted each time, and listed until it is over', async () => {
  const { clock, run, create, log, metric, troubles } = setUpController();
  await create('bad');
  let why: string | undefined = 'broken';
  void run(
    defineController({
      name: 'clumsy',
      for: ConfigMap,
      async reconcile() {
        if (why !== undefined) throw new Error(why);
      },
    }),
  );
  await clock.advance(30_000);
  const failures = metric('controller_runtime_reconcile_errors_total{controller="clumsy"}');
  assert.ok(failures > 5, `${failures} failures`);
  assert.equal(errorsIn(log).length, 1);
  const [trouble] = troubles.list();
  assert.deepEqual(
    { ...trouble, since: '' },
    {
      controller: 'clumsy',
      object: 'default/bad',
      problem: 'failing',
      message: 'broken',
      times: failures,
      since: '',
    },
  );
  why = 'broken in another way';
  await clock.advance(60_000);
  assert.equal(errorsIn(log).length, 2);
  why = undefined;
  await clock.advance(120_000);
  assert.deepEqual(troubles.list(), []);
  assert.match(log.join('\n'), /reconciled at last/);
});

test('what should pass but does not is an error in the end', async () => {
  const { clock, run, create, troubles } = setUpController();
  await create('bad');
  void run(
    defineController({
      name: 'stubborn',
      for: ConfigMap,
      async reconcile() {
        throw new ApiError({ code: 409, reason: 'AlreadyExists', message: 'there is one' });
      },
    }),
  );
  await clock.advance(100);
  assert.deepEqual(troubles.list(), []);
  await clock.advance(60_000);
  assert.deepEqual(
    troubles.list().map(({ message }) => message),
    ['there is one'],
  );
});

test('an object that computes for long rests longer each time, and holds up no other', async () => {
  const { clock, run, create, update, metric, troubles, told } = setUpController();
  await create('slow');
  await create('quick');
  const runs: { name: string; at: number }[] = [];
  void run(
    defineController({
      name: 'patient',
      for: ConfigMap,
      async reconcile({ name }) {
        runs.push({ name, at: clock.monotonic() });
        if (name === 'slow') clock.compute(6_000);
      },
    }),
  );
  await clock.advance(6_000);
  for (let change = 0; change < 50; change++) {
    await update('slow', { change: String(change) });
    await update('quick', { change: String(change) });
    await clock.advance(1_000);
  }
  const slow = () => runs.filter(({ name }) => name === 'slow').map(({ at }) => at);
  assert.deepEqual(slow(), [0, 18_000, 48_000]);
  assert.ok(runs.filter(({ name }) => name === 'quick').length >= 30);
  assert.equal(metric('perigee_slow_reconciles_total{controller="patient"}'), 3);
  assert.deepEqual(
    troubles.list().map(({ object, problem }) => [object, problem]),
    [['default/slow', 'slow']],
  );
  assert.match(told[0] ?? '', /^slow SlowReconcile patient: a reconcile took 6000 ms/);
});

test('of many objects that all take long beside each other, in short turns, none has to rest', async () => {
  const { clock, run, create, update, troubles } = setUpController();
  const names = Array.from({ length: 300 }, (_, at) => `web${at}`);
  for (const name of names) await create(name);
  const done: string[] = [];
  void run(
    defineController({
      name: 'busy',
      for: ConfigMap,
      concurrency: 100,
      async reconcile({ name }) {
        // A hundred that compute for a millisecond in turns: each takes six seconds, all of them busy ones.
        for (let turn = 0; turn < 60; turn++) {
          clock.compute(1);
          await clock.sleep(0);
        }
        done.push(name);
      },
    }),
  );
  await clock.advance(30_000);
  assert.equal(done.length, names.length);
  assert.deepEqual(troubles.list(), []);
  await update('web0', { change: '1' });
  await clock.advance(100);
  assert.equal(done.length, names.length + 1);
});

test('thousands of objects that fail together are not idle for minutes', async () => {
  const { clock, run, create } = setUpController();
  const names = Array.from({ length: 2_000 }, (_, at) => `web${at}`);
  for (const name of names) await create(name);
  const failed = new Set<string>();
  const done = new Set<string>();
  void run(
    defineController({
      name: 'all-at-once',
      for: ConfigMap,
      concurrency: 100,
      async reconcile({ name }) {
        if (!failed.has(name)) {
          failed.add(name);
          throw new Error('the server is not well for a moment');
        }
        done.add(name);
      },
    }),
  );
  await clock.advance(10_000);
  assert.equal(done.size, names.length);
});

test('an object that waits for long is looked at again as soon as something happens', async () => {
  const { clock, run, create, update, troubles } = setUpController();
  await create('waiting');
  let runs = 0;
  void run(
    defineController({
      name: 'patient',
      for: ConfigMap,
      async reconcile() {
        runs++;
        await clock.sleep(30_000);
      },
    }),
  );
  await clock.advance(30_000);
  await update('waiting', { change: '1' });
  await clock.advance(1);
  assert.equal(runs, 2);
  assert.deepEqual(troubles.list(), []);
});

test('a reconcile that never ends is told to, and then others get its worker', async () => {
  const { clock, run, create, troubles, stop, abort } = setUpController();
  await create('a-stuck');
  await create('b-good');
  const done: string[] = [];
  let wasReported = false;
  const end = Promise.withResolvers<void>();
  const running = run(
    defineController({
      name: 'one-worker',
      for: ConfigMap,
      async reconcile({ name }, { signal }) {
        signal.addEventListener('abort', () => {
          wasReported = true;
        });
        if (name === 'a-stuck') await end.promise;
        done.push(name);
      },
    }),
  );
  await clock.advance(299_000);
  assert.deepEqual(done, []);
  await clock.advance(3_000);
  assert.equal(wasReported, true);
  assert.deepEqual(done, ['b-good']);
  assert.match(troubles.list()[0]?.message ?? '', /does not end/);
  end.resolve();
  stop.abort();
  abort.abort();
  await running;
});
