import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { perigee } from '../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'perigee-ring-'));
const kubeconfig = join(folder, 'kubeconfig');
let server: EmbeddedServer;

const ring = (...args: readonly string[]) => perigee(['ring', ...args], { KUBECONFIG: kubeconfig });

before(async () => {
  const adminKubeconfig = kubeconfig;
  server = await startEmbeddedServer({ clock: realClock, access: 'rbac', adminKubeconfig });
  const { client } = server;
  const names = ['c0', 'c1', 'c2', 'c3'];
  for (const [at, name] of names.entries()) {
    const geoLocation = { city: at < 2 ? 'Bellevue' : 'Boston' };
    await client.create(ClusterRecord, {
      metadata: { name },
      spec: { geoLocation, cpuCapacity: 8 },
    });
  }
  for (const [name, desired] of [
    ['one', ['c0', 'c1']],
    ['two', ['c2', 'c3']],
  ] as const) {
    await client.create(Scheduler, { metadata: { name }, spec: {} });
    const status = { phase: 'Active', epoch: 1, clusters: { desired, inUse: desired } };
    const options = { subresource: 'status' };
    await client.patch(Scheduler, { name }, { type: 'merge', body: { status } }, options);
  }
});

after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('perigee ring', () => {
  it('shows who holds what', async () => {
    const { stdout, code } = await ring();
    assert.equal(code, 0);
    assert.match(stdout, /^SCHEDULER +PHASE +CLUSTERS/);
    assert.match(stdout, /one +Active +2 +2/);
  });

  it('tells what would move if one joined or left, and changes nothing', async () => {
    const left = await ring('--what-if', 'leave=two');
    assert.match(left.stdout, /c2 +two +one\nc3 +two +one\n\n2 clusters would move\./);
    const joined = await ring('--what-if', 'join=three', '-o', 'json');
    const [move, ...others] = JSON.parse(joined.stdout);
    assert.equal(move.to, 'three');
    assert.deepEqual(others, []);
    const { items } = await server.client.list(Scheduler);
    assert.equal(items.length, 2);
  });

  it('decides with the sharding of the control plane, unless told otherwise', async (t) => {
    const { client } = server;
    const setSharding = (sharding: string | null) => {
      const patch = { type: 'merge', body: { status: { sharding } } } as const;
      return client.patch(Scheduler, { name: 'one' }, patch, { subresource: 'status' });
    };
    // A ring hashes the clusters' random uids: with few clusters both shardings could agree by chance.
    const crowd = Array.from({ length: 24 }, (_, at) => `crowd${at}`);
    t.after(async () => {
      await setSharding(null);
      for (const name of crowd) await client.delete(ClusterRecord, { name });
    });
    for (const name of crowd) await client.create(ClusterRecord, { metadata: { name }, spec: {} });
    await setSharding('ring');
    const ifThreeJoins = async (...sharding: readonly string[]) =>
      (await ring('--what-if', 'join=three', '-o', 'json', ...sharding)).stdout;
    const asServer = await ifThreeJoins();
    assert.equal(asServer, await ifThreeJoins('--sharding', 'ring'));
    assert.notEqual(asServer, await ifThreeJoins('--sharding', 'sticky-geo'));
  });

  it('leaves out those who are silent, and what they have', async () => {
    const phase = (name: string) => {
      const patch = { type: 'merge', body: { status: { phase: name } } } as const;
      return server.client.patch(Scheduler, { name: 'two' }, patch, { subresource: 'status' });
    };
    await phase('Unavailable');
    const { stdout } = await ring('--what-if', 'leave=one', '-o', 'json');
    assert.deepEqual(JSON.parse(stdout), []);
    await phase('Active');
  });

  it('says what is wrong with a change that cannot be', async () => {
    const unknown = await ring('--what-if', 'leave=nine');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /there is no scheduler nine that could leave; there are one, two/);
    assert.match((await ring('--what-if', 'join=one')).stderr, /one is there already/);
    assert.match((await ring('--what-if', 'explode')).stderr, /write join=<name> or leave=<name>/);
  });
});

describe('perigee explain cluster/x', () => {
  const explain = (...args: readonly string[]) =>
    perigee(['explain', ...args], { KUBECONFIG: kubeconfig });

  it('says who has a cluster, why, and what others have', async () => {
    const { stdout, stderr, code } = await explain('cluster/c0');
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^c0 is Pending\.\n\nThe home of c0 is one\.\nWhy: one has it, and clusters stay/,
    );
    assert.match(
      stdout,
      /\nSCHEDULER +PHASE +CLUSTERS +WEIGHT +SAME PLACE +ROOM\none +Active +2 +16 +1 +yes\n/,
    );
  });

  it('says why a wish was not followed', async () => {
    const patch = { type: 'merge', body: { spec: { homeScheduler: 'nine' } } } as const;
    await server.client.patch(ClusterRecord, { name: 'c0' }, patch);
    const { stdout } = await explain('gcluster/c0', '-o', 'json');
    const { reason, wish, home, afresh } = JSON.parse(stdout);
    assert.deepEqual(
      { reason, wish, home, afresh },
      {
        reason: 'NoSuchScheduler',
        wish: 'nine',
        home: 'one',
        afresh: 'one',
      },
    );
    const unknown = await explain('cluster/nowhere');
    assert.notEqual(unknown.code, 0);
    assert.match(unknown.stderr, /there is no cluster named "nowhere"/);
  });
});
