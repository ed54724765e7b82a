import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import type { Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { readPlacementClusters } from '@perigee/registration/operations/placement-clusters';

const COUNTED_AT = Date.parse('2026-01-01T00:00:00Z');
const MINUTE_MS = 60_000;

const room = {
  metadata: { namespace: 'karmada-es-m1', name: 'm1' },
  spec: { countedAt: '2026-01-01T00:00:00Z', nodes: 0, resources: [] },
};
const cluster = { metadata: { name: 'm1' }, spec: { syncMode: 'Push' } };

/** A fake server with one cluster and the given node counts. */
const server = (rooms: () => readonly object[]) =>
  ({
    list: async (kind: { readonly plural: string }) => ({
      metadata: { resourceVersion: '1' },
      items: kind.plural === ClusterRoom.plural ? rooms() : [cluster],
    }),
  }) as unknown as Client;

const hasRoom = async (client: Client, nowMs: number) => {
  const { facts, isRoomHidden } = await readPlacementClusters(client, { nowMs });
  return [facts.some(({ space }) => space !== undefined), isRoomHidden];
};

test('what was counted on nodes counts while it is fresh', async () => {
  const client = server(() => [room]);
  assert.deepEqual(await hasRoom(client, COUNTED_AT + 14 * MINUTE_MS), [true, false]);
  assert.deepEqual(await hasRoom(client, COUNTED_AT + 16 * MINUTE_MS), [false, false]);
});

test('who may not see what was counted is told that others do', async () => {
  const client = server(() => {
    throw new ApiError({ code: 403, reason: 'Forbidden' } as never);
  });
  assert.deepEqual(await hasRoom(client, COUNTED_AT), [false, true]);
});

test('a count that cannot be read stops nobody', async () => {
  const pools = [{ free: [{ nodes: 1, each: ['many'] }] }];
  const odd = { ...room, spec: { ...room.spec, resources: ['cpu'], pools } };
  assert.deepEqual(
    await hasRoom(
      server(() => [odd]),
      COUNTED_AT,
    ),
    [false, false],
  );
});
