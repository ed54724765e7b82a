import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { isFinished } from '@perigee/scheduling/interpreter/completion-checks';
import { queuedWorkOf, reservationOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { type Fate, unreliableClient } from '../support/unreliable-client.ts';
import { queueControllers, queuedWorld } from './queued-world.ts';

const SEED = Number(process.env.PERIGEE_SEED ?? 20_261_116);
const STEPS = 60;

const LIMITS: { readonly [queue: string]: number } = { all: 8, a: 8, b: 5, c: 3 };
const PARENTS: { readonly [queue: string]: string } = { a: 'all', b: 'all', c: 'all' };

const cpuOf = ({ spec }: ResourceBinding): number =>
  (spec.replicas ?? 0) * Number(spec.replicaRequirements?.resourceRequest?.cpu ?? 0);

const isOver = ({ spec, status }: ResourceBinding): boolean =>
  (status?.aggregatedStatus ?? []).some((one) => isFinished(spec.resource, one.status));

for (const at of [0, 1, 2]) {
  test(`no limit is exceeded and nothing is lost in a history of lost writes and restarts (${at})`, async () => {
    const random = seededRandom(SEED + at);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    let isRough = true;
    const nextFate = (): Fate =>
      isRough ? pick(['done', 'done', 'done', 'lost', 'done unnoticed']) : 'done';
    await using plane = await startControlPlane({
      controllers: (parts) => queueControllers(parts, at === 2),
      reach: (client) => unreliableClient(client, nextFate),
      isQuiet: true,
    });
    const { client, clock } = plane;
    for (const name of ['c1', 'c2']) await addReadyCluster(client, name);
    const world = queuedWorld(client);
    await world.policy();
    for (const [name, cpu] of Object.entries(LIMITS)) {
      const parent = PARENTS[name];
      await world.queue(name, {
        capability: { cpu: String(cpu) },
        ...(parent === undefined ? {} : { parent, deserved: { cpu: '2' } }),
      });
    }

    /** The usage by queue, summed over admitted, unfinished bindings. */
    const usage = async () => {
      const { items } = await client.list(ResourceBinding);
      const used: { [queue: string]: number } = { all: 0, a: 0, b: 0, c: 0 };
      for (const binding of items) {
        const work = queuedWorkOf(binding.metadata);
        const isThrough = reservationOf(binding.metadata) !== undefined;
        if (work === undefined || !isThrough || isOver(binding)) continue;
        used[work.queue] = (used[work.queue] ?? 0) + cpuOf(binding);
        used.all = (used.all ?? 0) + cpuOf(binding);
      }
      return { used, items };
    };
    const check = async () => {
      const { used, items } = await usage();
      for (const [queue, limit] of Object.entries(LIMITS)) {
        assert.ok((used[queue] ?? 0) <= limit, `${queue} uses ${used[queue]} of ${limit}`);
      }
      return items;
    };
    let jobs = 0;
    const create = async () => {
      jobs += 1;
      await world.job(`j${jobs}`, { queue: pick(['a', 'b', 'c']), cpu: pick(['1', '2', '3']) });
    };
    const finish = async () => {
      const running = (await check()).filter(
        (one) => (one.spec.clusters ?? []).length > 0 && !isOver(one),
      );
      if (running.length > 0) await world.finish(pick(running).spec.resource.name);
    };
    for (let step = 0; step < STEPS; step += 1) {
      const dice = random();
      if (dice < 0.5) await create();
      else if (dice < 0.85) await finish();
      else if (dice < 0.9) await plane.restart();
      await clock.advance(Math.floor(random() * 3000));
      await check();
    }
    isRough = false;
    for (let rounds = 0; rounds < 200; rounds += 1) {
      const items = await check();
      if (items.length === jobs && items.every(isOver)) break;
      await finish();
      await clock.advance(5000);
    }
    await clock.advance(20_000);
    const left = (await check()).filter((one) => !isOver(one));
    assert.deepEqual(
      left.map(({ metadata }) => metadata.name),
      [],
      'all work has had its turn',
    );
    const { items: queues } = await client.list(Queue);
    for (const { metadata, status } of queues) {
      assert.deepEqual(
        [metadata.name, status?.allocated, status?.pending, status?.running],
        [metadata.name, {}, 0, 0],
      );
    }
  });
}
