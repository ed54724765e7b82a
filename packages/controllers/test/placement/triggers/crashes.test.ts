import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { scheduleTriggerController } from '@perigee/controllers/placement/triggers/schedule-trigger-controller';
import type { Client, Patch } from '@perigee/kube/client/client';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import fc from 'fast-check';
import { addReadyCluster } from '../../support/bindings.ts';
import { addTrigger, addWork, setRoom, triggerOf } from '../../support/triggers.ts';
import { type Fate, unreliableClient } from '../../support/unreliable-client.ts';

const WORKS = 24;
const TRIGGERS = ['a', 'b'];

/** Counts how often the server took a request to schedule a binding afresh. */
const counting = (client: Client, asked: Map<string, number>): Client =>
  new Proxy(client, {
    get: (target, verb: keyof Client) => {
      const method = Reflect.get(target, verb) as (...args: readonly unknown[]) => unknown;
      if (verb !== 'patch') return typeof method === 'function' ? method.bind(target) : method;
      return async (kind: ResourceKind, ref: { name: string }, patch: Patch, options: object) => {
        const result = await method.call(target, kind, ref, patch, options);
        const body = 'body' in patch ? (patch.body as { spec?: object }) : {};
        if (body.spec !== undefined && 'rescheduleTriggeredAt' in body.spec) {
          asked.set(ref.name, (asked.get(ref.name) ?? 0) + 1);
        }
        return result;
      };
    },
  });

it('a trigger asks for each resource once, whenever it is cut off and whatever answers get lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = seededRandom(seed);
      const clock = new VirtualClock();
      const logger = createLogger({ clock, level: 'error', write: () => {} });
      await using server = await startEmbeddedServer({ clock, logger, listener: 'none' });
      const { client } = server;
      for (const name of ['m1', 'm2']) {
        await addReadyCluster(client, name);
        await setRoom(client, name, '1000');
      }
      for (let index = 0; index < WORKS; index += 1) await addWork(client, `w${index}`);
      const asked = new Map<string, number>();
      const fate = (): Fate => {
        const roll = random();
        return roll < 0.15 ? 'lost' : roll < 0.3 ? 'done unnoticed' : 'done';
      };
      const controllers = () => [
        ...BINDING_KINDS.map((kind) => schedulerController(kind)),
        scheduleTriggerController(),
      ];
      const reliable = counting(client, asked);
      const start = async (reached: Client) => {
        const manager = new Manager({ client: reached, clock, logger, controllers: controllers() });
        await manager.start();
        return manager;
      };
      const first = await start(reliable);
      await clock.advance(1000);
      await first.stop();
      for (const name of TRIGGERS) {
        await addTrigger(client, name, { targetSelectors: [{}], maxConcurrent: 5 });
      }
      for (let life = 0; life < 8; life += 1) {
        const manager = await start(unreliableClient(reliable, fate));
        await clock.advance(Math.floor(random() * 400));
        manager.abort();
      }
      const last = await start(reliable);
      await clock.advance(60_000);
      for (const name of TRIGGERS) {
        assert.equal((await triggerOf(client, name)).status?.phase, 'Success', name);
      }
      const { items } = await client.list(ResourceBinding);
      assert.equal(items.length, WORKS);
      for (const { metadata } of items) {
        assert.equal(asked.get(metadata.name), TRIGGERS.length, metadata.name);
      }
      const stopping = last.stop();
      await clock.advance(60_000);
      await stopping;
    }),
    { numRuns: Number(process.env.PERIGEE_CRASH_ROUNDS ?? 3), endOnFailure: true },
  );
});
