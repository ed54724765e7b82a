import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import fc from 'fast-check';
import { startInventory } from '../../support/inventory.ts';
import { type Fate, unreliableClient } from '../../support/unreliable-client.ts';

const NAMES = ['a', 'b'] as const;
const ACTIONS = ['register', 'host', 'join', 'change', 'unregister', 'remove target'] as const;

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    action: fc.constantFrom(...ACTIONS),
    /** A pause without any change afterwards. */
    pauseMs: fc.constantFrom(0, 1, 50, 3000),
  }),
  { minLength: 1, maxLength: 8 },
);
const fates = fc.infiniteStream(
  fc.constantFrom<Fate>('done', 'done', 'done', 'lost', 'done unnoticed'),
);

type Inventory = Awaited<ReturnType<typeof startInventory>>;

const act = async (
  { client, register }: Inventory,
  name: string,
  action: (typeof ACTIONS)[number],
): Promise<unknown> => {
  switch (action) {
    case 'register':
      return register(name, { region: { region: 'r' } });
    case 'host':
      return register(name, { type: 'virtual' });
    case 'join':
      return client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
    case 'change':
      return client.patch(
        ClusterRecord,
        { name },
        { type: 'merge', body: { spec: { geoLocation: { city: 'Turin' } } } },
      );
    case 'unregister':
      return client.delete(ClusterRecord, { name });
    case 'remove target':
      return client.delete(MemberCluster, { name });
  }
};

const isOutOfPlace = (error: unknown): boolean => isNotFound(error) || isAlreadyExists(error);

test('whatever happens and whatever breaks off, records and targets end up in step', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fates, async (taken, stream) => {
      let isCalm = false;
      const nextFate = (): Fate => (isCalm ? 'done' : (stream.next().value ?? 'done'));
      const reach = (client: Parameters<typeof unreliableClient>[0]) =>
        unreliableClient(client, nextFate);
      await using inventory = await startInventory({ reach, isQuiet: true });
      const { clock, recordOf, targetOf, conditionOf, hosted } = inventory;
      for (const { name, action, pauseMs } of taken) {
        await act(inventory, name, action).catch((error: unknown) => {
          if (!isOutOfPlace(error)) throw error;
        });
        await clock.advance(pauseMs);
      }
      isCalm = true;
      await clock.advance(1_200_000);
      for (const name of NAMES) {
        const record = await recordOf(name);
        const target = await targetOf(name);
        assert.equal(record === undefined, target === undefined, `${name}: one without the other`);
        const living = hosted.filter((line) => line.endsWith(` ${name}`)).at(-1);
        assert.equal(living === `made ${name}`, record?.spec.type === 'virtual', String(living));
        if (record === undefined) continue;
        assert.equal(record.metadata.deletionTimestamp, undefined);
        const city = target?.metadata.labels?.['globalscheduler.com/city'];
        assert.equal(city, record.spec.geoLocation?.city);
        assert.match(await conditionOf(name, 'ExecutionTarget'), / InStep$/);
      }
    }),
    { numRuns: 8 },
  );
});
