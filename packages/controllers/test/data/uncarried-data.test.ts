import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Client, ObjectRef, WriteOptions } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { claimControllers, claimedWorld } from './claimed-world.ts';

const MANAGER = 'perigee-data-placement';
const MINUTE_MS = 60_000;

/** A server that takes a write without a change as servers do: it answers with what is there. */
const withoutAdmission = (client: Client, touched: () => void): Client =>
  new Proxy(client, {
    get: (target, property) => {
      const method = Reflect.get(target, property);
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) => {
        const [kind, ref, , options] = args as [unknown, ObjectRef, unknown, WriteOptions?];
        const isTouch = kind === ResourceBinding && options?.fieldManager === MANAGER;
        if (property !== 'patch' || !isTouch) return method.apply(target, args);
        touched();
        return target.get(ResourceBinding, ref);
      };
    },
  });

test('a server that does not ask the admission is told of, and is not asked without end', async () => {
  const clock = new VirtualClock();
  const touches: number[] = [];
  await using plane = await startControlPlane({
    clock,
    controllers: claimControllers,
    reach: (client) => withoutAdmission(client, () => touches.push(clock.monotonic())),
    isQuiet: true,
  });
  const { client, settled, troubles } = plane;
  await addReadyCluster(client, 'c1');
  await addReadyCluster(client, 'c2');
  const { policy, deployment, claim, source } = claimedWorld(client, 'default');
  await policy();
  await deployment('web');
  await settled();
  assert.deepEqual(touches, []);

  await source('sales', ['c1']);
  await claim('sales', 'sales', 'web');
  await settled();
  assert.equal(touches.length, 1, 'the first look may be too early');
  assert.deepEqual(troubles(), []);

  await clock.advance(5000);
  assert.equal(touches.length, 2);
  const [trouble] = troubles();
  assert.match(JSON.stringify(trouble), /does not ask the admission.*run `perigee webhook`/);

  await clock.advance(30 * MINUTE_MS);
  const gaps = touches.slice(1).map((at, index) => at - (touches[index] ?? 0));
  assert.ok(Math.max(...gaps) > MINUTE_MS, `later each time, not ${gaps}`);
  assert.ok(touches.length < 50, `${touches.length} touches in half an hour`);
});
