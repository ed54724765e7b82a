import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { startPerigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConfigError } from '@perigee/kube/errors';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';

const PATIENCE_MS = 60_000;

/** Resolves when the Scheduler, or its absence, passes the check. */
const untilScheduler = async (
  client: Client,
  isSo: (scheduler: Scheduler | undefined) => boolean,
): Promise<void> => {
  using deadline = deadlineAfter(clock, PATIENCE_MS);
  let known: Scheduler | undefined;
  const options = { sendInitialEvents: true, signal: deadline.signal };
  for await (const event of client.watch(Scheduler, options)) {
    // The bookmark ends the initial events: a Scheduler that is already gone has had no event.
    if (event.type !== 'BOOKMARK') known = event.type === 'DELETED' ? undefined : event.object;
    if (isSo(known)) return;
  }
  throw new Error('the watch ended');
};

test('a control plane starts with a call, runs Schedulers in this process, and leaves nothing', async () => {
  const steps: string[] = [];
  const perigee = await startPerigee({
    members: 2,
    nodes: 1,
    onProgress: ({ step }) => void steps.push(step),
  });
  const { client, kubeconfig } = perigee;
  try {
    assert.deepEqual(steps, ['server', 'members', 'controllers']);
    const config = await loadClusterConfig({ kubeconfig, env: {}, clock });
    await using outside = createHttpClient(config, { clock });
    const { items } = await outside.list(ClusterRecord);
    assert.deepEqual(items.map(({ metadata }) => metadata.name).toSorted(), ['member1', 'member2']);
    await client.create(Scheduler, { metadata: { name: 'one' }, spec: {} });
    const isAtWork = (one: Scheduler | undefined) => one?.status?.clusters?.inUse?.length === 2;
    await untilScheduler(client, isAtWork);
    await client.delete(Scheduler, { name: 'one' });
    await untilScheduler(client, (one) => one === undefined);
  } finally {
    await perigee[Symbol.asyncDispose]();
  }
  assert.equal(existsSync(kubeconfig), false);
});

test('what cannot be hosted is told before anything is made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-host-'));
  try {
    const data = join(folder, 'data');
    const misspelt = startPerigee({ data, controllers: '*,-schedular' });
    await assert.rejects(misspelt, (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /there is no "schedular"; the controllers are application-/);
      return true;
    });
    const halved = startPerigee({ data, failover: true, controllers: '*,-taint-eviction' });
    await assert.rejects(halved, /failover needs controllers .* leaves out: taint-eviction/);
    const crowded = startPerigee({ data, members: 501 });
    await assert.rejects(crowded, /members must be a whole number from 0 to 500/);
    assert.equal(existsSync(data), false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
