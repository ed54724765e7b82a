import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectRef } from '@perigee/kube/client/client';
import { defineController } from '@perigee/kube/controller/define-controller';
import { ApiError, NotLeaderError } from '@perigee/kube/errors';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { setUpController } from './controller-fixture.ts';

const nameOf = ({ name }: ObjectRef): string => name;

test('every object that is there, comes, changes or goes is reconciled', async () => {
  const { clock, admin, run, create, update } = setUpController();
  await create('there');
  const seen: string[] = [];
  void run(
    defineController({
      name: 'watcher',
      for: ConfigMap,
      async reconcile(ref, { cache }) {
        seen.push(`${ref.namespace}/${ref.name}: ${cache(ConfigMap).get(ref)?.data?.at ?? 'gone'}`);
      },
    }),
  );
  await clock.advance(0);
  await create('new', { at: '1' });
  await clock.advance(0);
  await update('new', { at: '2' });
  await clock.advance(0);
  await admin.delete(ConfigMap, { namespace: 'default', name: 'new' });
  await clock.advance(0);
  assert.deepEqual(seen, [
    'default/there: gone',
    'default/new: 1',
    'default/new: 2',
    'default/new: gone',
  ]);
});

test('nothing is reconciled before all caches are full', async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, run, create } = setUpController({
    before: ({ kind }) => (kind === Namespace ? gate.promise : undefined),
  });
  await create('there');
  let reconciles = 0;
  void run(
    defineController({
      name: 'patient',
      for: ConfigMap,
      reads: [Namespace],
      async reconcile() {
        reconciles++;
      },
    }),
  );
  await clock.advance(10_000);
  assert.equal(reconciles, 0);
  gate.resolve();
  await clock.advance(0);
  assert.equal(reconciles, 1);
});

test('what is thrown, whatever it is, is tried again later each time and stops nothing', async () => {
  const { clock, run, create, log, metric } = setUpController();
  await create('bad');
  await create('good');
  const tries: { name: string; at: number }[] = [];
  const thrown = [new Error('broken'), 'a string', undefined, null];
  void run(
    defineController({
      name: 'clumsy',
      for: ConfigMap,
      reconcile: ({ name }) => {
        tries.push({ name, at: clock.monotonic() });
        if (name === 'bad' && thrown.length > 0) throw thrown.shift();
        return Promise.resolve(undefined);
      },
    }),
  );
  await clock.advance(1000);
  assert.deepEqual(
    tries.filter(({ name }) => name === 'bad').map(({ at }) => at),
    [0, 5, 15, 35, 75],
  );
  assert.equal(tries.filter(({ name }) => name === 'good').length, 1);
  assert.equal(metric('controller_runtime_reconcile_total{controller="clumsy",result="error"}'), 4);
  assert.equal(metric('controller_runtime_reconcile_errors_total{controller="clumsy"}'), 4);
  assert.equal(
    metric('controller_runtime_reconcile_total{controller="clumsy",result="success"}'),
    2,
  );
  const line = JSON.parse(log.find((text) => text.includes('cannot reconcile')) ?? '{}');
  assert.equal(line.controller, 'clumsy');
  assert.equal(line.key, 'default/bad');
  assert.equal(line.error.message, 'broken');
});

test('conflicts, lost leadership and an object that is gone are tried again without a complaint', async () => {
  const { clock, run, create, log, metric } = setUpController();
  await create('it');
  const conflict = new ApiError({ code: 409, reason: 'Conflict', message: 'it has changed' });
  const exists = new ApiError({ code: 409, reason: 'AlreadyExists', message: 'it is there' });
  const gone = new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'configmaps "it" not found',
    details: { name: 'it', kind: 'configmaps' },
  });
  const thrown: Error[] = [conflict, exists, gone, new NotLeaderError('not now')];
  void run(
    defineController({
      name: 'quiet',
      for: ConfigMap,
      async reconcile() {
        const error = thrown.shift();
        if (error !== undefined) throw error;
      },
    }),
  );
  await clock.advance(1000);
  assert.equal(
    metric('controller_runtime_reconcile_total{controller="quiet",result="requeue"}'),
    4,
  );
  assert.equal(
    metric('controller_runtime_reconcile_total{controller="quiet",result="success"}'),
    1,
  );
  assert.equal(metric('controller_runtime_reconcile_errors_total{controller="quiet"}'), 0);
  assert.ok(log.every((line) => !/"level":"(warn|error)"/.test(line)));
});

test('a reconcile can ask to be called again, and failures before that are forgotten', async () => {
  const { clock, run, create, metric } = setUpController();
  await create('it');
  const at: number[] = [];
  void run(
    defineController({
      name: 'again',
      for: ConfigMap,
      async reconcile() {
        at.push(clock.monotonic());
        if (at.length % 2 === 1) throw new Error('every other time');
        return { requeueAfterMs: 1000 };
      },
    }),
  );
  await clock.advance(2500);
  assert.deepEqual(at, [0, 5, 1005, 1010, 2010, 2015]);
  assert.equal(
    metric('controller_runtime_reconcile_total{controller="again",result="requeue_after"}'),
    3,
  );
});

test('an object is never reconciled by two workers, but different ones are', async () => {
  const { clock, run, create, update, metric } = setUpController();
  for (const name of ['a', 'b', 'c']) await create(name);
  const running: string[] = [];
  let most = 0;
  const runs = new Map<string, number>();
  void run(
    defineController({
      name: 'busy',
      for: ConfigMap,
      concurrency: 2,
      async reconcile({ name }) {
        assert.ok(!running.includes(name));
        running.push(name);
        most = Math.max(most, running.length);
        runs.set(name, (runs.get(name) ?? 0) + 1);
        await clock.sleep(100);
        running.splice(running.indexOf(name), 1);
      },
    }),
  );
  await clock.advance(50);
  assert.equal(metric('controller_runtime_active_workers{controller="busy"}'), 2);
  assert.equal(metric('controller_runtime_max_concurrent_reconciles{controller="busy"}'), 2);
  for (let n = 0; n < 5; n++) await update('a', { n: `${n}` });
  await clock.advance(1000);
  assert.equal(most, 2);
  assert.deepEqual(Object.fromEntries(runs), { a: 2, b: 1, c: 1 });
  assert.equal(metric('controller_runtime_reconcile_time_seconds_sum{controller="busy"}'), 0.4);
});

test('a fresh change passes the objects that were there at the start', async () => {
  const { clock, run, create, update } = setUpController();
  for (let n = 0; n < 20; n++) await create(`old-${n}`);
  const order: string[] = [];
  void run(
    defineController({
      name: 'fair',
      for: ConfigMap,
      async reconcile(ref) {
        order.push(nameOf(ref));
        await clock.sleep(10);
      },
    }),
  );
  await clock.advance(25);
  await create('fresh');
  await update('old-19', { touched: 'yes' });
  await clock.advance(1000);
  assert.deepEqual(order.slice(0, 6), ['old-0', 'old-1', 'old-10', 'old-19', 'fresh', 'old-11']);
  assert.equal(order.length, 21);
});

test('everything is looked at again after the resync period', async () => {
  const { clock, run, create } = setUpController();
  await create('it');
  let reconciles = 0;
  void run(
    defineController({
      name: 'careful',
      for: ConfigMap,
      resyncMs: 60_000,
      when: (now, before) => now?.data?.at !== before?.data?.at,
      async reconcile() {
        reconciles++;
      },
    }),
  );
  await clock.advance(59_000);
  const before = reconciles;
  await clock.advance(8_000);
  assert.equal(reconciles, before + 1);
});

test('a stopped controller finishes what runs, takes up nothing more and leaves no timer', async () => {
  const { clock, run, create, stop, informers } = setUpController();
  for (const name of ['a', 'b', 'c']) await create(name);
  const finished: string[] = [];
  let ended = false;
  const running = run(
    defineController({
      name: 'tidy',
      for: ConfigMap,
      async reconcile({ name }) {
        await clock.sleep(100);
        finished.push(name);
        return { requeueAfterMs: 5 };
      },
    }),
  ).then(() => {
    ended = true;
  });
  await clock.advance(150);
  stop.abort();
  await clock.advance(49);
  assert.equal(ended, false);
  await clock.advance(1);
  await running;
  assert.deepEqual(finished, ['a', 'b']);
  await create('d');
  await clock.advance(1000);
  assert.deepEqual(finished, ['a', 'b']);
  await informers.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('a controller that is stopped before its caches are full ends', async () => {
  const { run, stop } = setUpController({ before: () => new Promise(() => {}) });
  const reconcile = async () => undefined;
  const running = run(defineController({ name: 'never', for: ConfigMap, reconcile }));
  stop.abort();
  await running;
});

test('the abort reaches a running reconcile', async () => {
  const { clock, run, create, stop, abort, metric } = setUpController();
  await create('it');
  const running = run(
    defineController({
      name: 'long',
      for: ConfigMap,
      async reconcile(_, { signal }) {
        await clock.sleep(1e9, signal);
      },
    }),
  );
  await clock.advance(1);
  stop.abort();
  abort.abort(new Error('time is up'));
  await running;
  assert.equal(metric('controller_runtime_reconcile_errors_total{controller="long"}'), 0);
});
