import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import type { Fault, SeenRequest } from '../support/tls-api-server-faults.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';
import { eventually, isUpToDate, watchedConfigMaps } from './watched-config-maps.ts';

const written = (name: string, value = '1') => ({
  metadata: { name, namespace: 'a', annotations: { value } },
});

const isWatch = ({ query }: SeenRequest): boolean => query.get('watch') === 'true';
const isList = (request: SeenRequest): boolean =>
  !isWatch(request) && request.path.endsWith('/configmaps');

const watchFaults = {
  'breaks between two events': 'reset',
  'breaks in the middle of an event': 'reset-mid-event',
  'ends in the middle of an event': 'truncate',
  'ends cleanly': 'end',
  'says that the version is gone': 'gone',
  'sends an event twice': 'duplicate',
  'falls silent for ever': 'stall',
} as const;

for (const [what, then] of Object.entries(watchFaults)) {
  for (const afterEvents of [0, 2, 4]) {
    test(`nothing is lost when a watch ${what} after ${afterEvents} events`, async () => {
      await using f = await startFixture();
      const { informer, check, steps } = watchedConfigMaps(f);
      await using _ = informer;
      await f.direct.create(ConfigMap, written('first'));
      await f.direct.create(ConfigMap, written('second'));
      f.server.faults.add({ type: 'watch', afterEvents, then });
      informer.start();
      // A watch that falls silent before its end of initial events is found out by the clock.
      await eventually(f, () => informer.hasSynced);
      await f.direct.create(ConfigMap, written('x'));
      await f.direct.update(ConfigMap, written('x', '2'));
      await f.direct.delete(ConfigMap, { name: 'first', namespace: 'a' });
      if (then === 'stall') await f.clock.advance(640_000);
      await eventually(f, () => isUpToDate(f, informer));
      assert.deepEqual(check.problems, []);
      assert.equal(check.state.size, 2);
      const watches = f.server.requests.filter(isWatch).length;
      if (then === 'duplicate') assert.equal(watches, 1);
      else assert.ok(watches > 1, 'the fault happened');
      if (then === 'gone' && afterEvents > 2) assert.ok(steps.steps.includes('relist expired'));
    });
  }
}

const refusals: { readonly [what: string]: Fault } = {
  'is refused with 500': { type: 'answer', code: 500 },
  'is refused with 410': {
    type: 'answer',
    code: 410,
    body: { status: 'Failure', code: 410, reason: 'Expired', message: 'too old' },
  },
  'is put off with 429': { type: 'answer', code: 429, headers: { 'retry-after': '2' } },
  'is answered by a login page': { type: 'answer', code: 200, body: '<html>' },
  'finds no connection': { type: 'reset' },
  'gets no answer at all': { type: 'delay', until: new Promise(() => {}) },
};

const brokenAnswers: { readonly [what: string]: Fault } = {
  'breaks in the middle of the answer': { type: 'reset-mid-answer' },
  'never gets the rest of its answer': { type: 'stall' },
};

for (const [what, fault] of Object.entries({ ...refusals, ...brokenAnswers })) {
  test(`an informer syncs although its list ${what} at first`, async () => {
    await using f = await startFixture();
    f.cluster.watchList = 'refused';
    const { informer, news } = watchedConfigMaps(f);
    await using _ = informer;
    await f.direct.create(ConfigMap, written('x'));
    f.server.faults.add(fault, { when: isList });
    informer.start();
    await eventually(f, () => informer.hasSynced);
    await f.direct.delete(ConfigMap, { name: 'x', namespace: 'a' });
    await eventually(f, () => informer.size === 0);
    assert.deepEqual(news.take(), ['add a/x@1 initial', 'delete a/x@2']);
    assert.ok(f.server.requests.filter(isList).length > 1, 'the fault happened');
  });
}

for (const [what, fault] of Object.entries(refusals)) {
  test(`an informer goes on although its next watch ${what} at first`, async () => {
    await using f = await startFixture();
    const { informer, check } = watchedConfigMaps(f);
    await using _ = informer;
    await f.direct.create(ConfigMap, written('x'));
    informer.start();
    await eventually(f, () => informer.hasSynced);
    f.server.faults.add(fault, { when: isWatch, times: 2 });
    f.server.resetConnections();
    await f.direct.update(ConfigMap, written('x', '2'));
    await f.direct.create(ConfigMap, written('y'));
    await eventually(f, () => isUpToDate(f, informer));
    assert.deepEqual(check.problems, []);
    assert.ok(f.server.requests.filter(isWatch).length > 3, 'the fault happened twice');
  });
}

test('an informer waits for a server that is down', async () => {
  await using f = await startFixture();
  const { informer, check, steps } = watchedConfigMaps(f);
  await using _ = informer;
  await f.direct.create(ConfigMap, written('x'));
  informer.start();
  await eventually(f, () => informer.hasSynced);
  await f.server.refuseConnections();
  await f.direct.delete(ConfigMap, { name: 'x', namespace: 'a' });
  await f.direct.create(ConfigMap, written('y'));
  f.cluster.compact();
  await eventually(f, () => steps.waits.length > 5);
  assert.deepEqual([...check.state.keys()], ['a/x'], 'the cache stays as it was');
  await f.server.acceptConnections();
  await eventually(f, () => isUpToDate(f, informer));
  assert.deepEqual([...check.state.keys()], ['a/y']);
  assert.deepEqual(check.problems, []);
});

test('a stopped informer leaves no request behind', async () => {
  await using f = await startFixture();
  const { informer } = watchedConfigMaps(f);
  informer.start();
  await eventually(f, () => informer.hasSynced);
  await informer.stop();
  await eventually(f, () => f.server.openRequests === 0 && f.cluster.watches.length === 0);
});
