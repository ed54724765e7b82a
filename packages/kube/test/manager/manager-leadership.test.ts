import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineController } from '@perigee/kube/controller/define-controller';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { SimulatedProcess } from '../leader-election/simulated-process.ts';
import { LEASE, setUpManager } from './manager-fixture.ts';

const setUp = () => {
  const set = setUpManager();
  const { clock, cluster, manage } = set;
  const ran: string[] = [];
  /** A process that reconciles every second, and writes that it did. */
  const launch = async (identity: string) => {
    const process = new SimulatedProcess({ cluster, clock });
    const beat = defineController({
      name: 'beat',
      for: ConfigMap,
      when: (now) => now?.metadata.name === 'heart',
      async reconcile(ref, { client }) {
        const body = { data: { at: `${clock.monotonic()}`, by: identity } };
        await client.patch(ConfigMap, ref, { type: 'merge', body });
        ran.push(identity);
        return { requeueAfterMs: 1000 };
      },
    });
    const look = defineController({
      name: 'look',
      for: ConfigMap,
      needsLeader: false,
      when: (now, before) => now !== undefined && before === undefined,
      async reconcile() {
        ran.push(`${identity} looks`);
      },
    });
    const manager = manage(
      { controllers: [beat, look], leaderElection: { lease: LEASE }, identity },
      process,
    );
    void manager.start();
    await clock.advance(1);
    return { process, manager };
  };
  return { ...set, ran, launch };
};

test('controllers that need a leader run in one process, the others in each', async () => {
  const { clock, ran, launch, create } = setUp();
  await create('heart');
  await launch('a');
  await launch('b');
  await clock.advance(30_000);
  assert.equal(ran.filter((who) => who === 'a looks').length, 1);
  assert.equal(ran.filter((who) => who === 'b looks').length, 1);
  assert.ok(ran.filter((who) => who === 'a').length >= 30);
  assert.equal(ran.filter((who) => who === 'b').length, 0);
});

test('when the leader stops, the next takes over at once', async () => {
  const { clock, ran, launch, create } = setUp();
  await create('heart');
  const a = await launch('a');
  await launch('b');
  await clock.advance(10_000);
  ran.length = 0;
  void a.manager.stop();
  await clock.advance(0);
  await a.manager.stopped;
  assert.equal(ran[0], 'b');
  await clock.advance(5000);
  assert.ok(!ran.includes('a'));
});

test('a leader that is cut off stops working, and works again when it leads again', async () => {
  const { clock, ran, launch, create, admin, log } = setUp();
  await create('heart');
  const a = await launch('a');
  const b = await launch('b');
  await clock.advance(10_000);
  a.process.setPartitioned(true);
  await clock.advance(30_000);
  ran.length = 0;
  a.process.setPartitioned(false);
  await clock.advance(10_000);
  assert.deepEqual(new Set(ran), new Set(['b']));
  assert.match(log.join(''), /"no longer leading".*not renewed for 10 s/);
  b.process.crash();
  await clock.advance(17_000);
  ran.length = 0;
  await clock.advance(5000);
  assert.deepEqual(new Set(ran), new Set(['a']));
  const heart = await admin.get(ConfigMap, { namespace: 'default', name: 'heart' });
  assert.equal(heart.data?.by, 'a');
});
