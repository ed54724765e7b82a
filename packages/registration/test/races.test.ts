import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { isNotFound } from '@perigee/kube/errors';
import { isRegistrationError, type RegistrationProblem } from '../src/errors.ts';
import { registerCluster } from '../src/operations/register-cluster.ts';
import { unregisterCluster } from '../src/operations/unregister-cluster.ts';
import { updateCluster } from '../src/operations/update-cluster.ts';
import { cluster1, startInventory } from './inventory-fixture.ts';

type Verb = 'create' | 'get' | 'update' | 'delete';
type Meanwhile = (client: Client) => Promise<unknown>;

/** A client behind whose back something happens right before the calls of a verb, one thing each. */
const hurried = (client: Client, verb: Verb, ...events: readonly Meanwhile[]) => {
  const rest = [...events];
  const calls = { count: 0 };
  const intercepted = async (...args: readonly unknown[]) => {
    calls.count += 1;
    await rest.shift()?.(client);
    return Reflect.apply(client[verb], client, args);
  };
  const wrapped = new Proxy(client, {
    get: (target, name) => {
      if (name === verb) return intercepted;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { client: wrapped, calls };
};

const ref = { name: 'cluster1' };
const problem = (wanted: RegistrationProblem) => (error: unknown) =>
  isRegistrationError(error, wanted);
const nothing: Meanwhile = async () => {};
const isRemoved: Meanwhile = (client) => client.delete(ClusterRecord, ref);

const isPatched =
  (body: object): Meanwhile =>
  (client) =>
    client.patch(ClusterRecord, ref, { type: 'merge', body: body as never });
const isNoted = (key: string) => isPatched({ metadata: { annotations: { [key]: 'noted' } } });
const isHeld = isPatched({ metadata: { finalizers: ['example.com/hold'] } });

const isReplaced: Meanwhile = async (client) => {
  await isRemoved(client);
  await registerCluster(client, cluster1);
};

const bigger = { spec: { ...cluster1.spec, CPUCapacity: 16 } };

const server = await startInventory();
after(() => server[Symbol.asyncDispose]());

const isGone: Meanwhile = async (client) => {
  try {
    await isPatched({ metadata: { finalizers: [] } })(client);
    await isRemoved(client);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

/** The cluster as it was registered just now, and its uid. */
const registerAnew = async (): Promise<string> => {
  await isGone(server.client);
  const { cluster } = await registerCluster(server.client, cluster1);
  return cluster.metadata.uid;
};

describe('while a cluster is changed', () => {
  it('keeps what somebody else writes in between', async () => {
    await registerAnew();
    const { client, calls } = hurried(server.client, 'update', isNoted('one'), isNoted('two'));
    const { outcome, cluster } = await updateCluster(client, ref, bigger);
    assert.deepEqual([outcome, cluster.spec.cpuCapacity, calls.count], ['updated', 16, 3]);
    assert.deepEqual(cluster.metadata.annotations, { one: 'noted', two: 'noted' });
  });

  it('gives up on one that is always written, and on one that the caller has not seen', async () => {
    await registerAnew();
    const busy = Array.from({ length: 9 }, (_, at) => isNoted(`note-${at}`));
    const always = hurried(server.client, 'update', ...busy);
    await assert.rejects(updateCluster(always.client, ref, bigger), problem('Changed'));
    assert.equal(always.calls.count, 5);
    const { metadata } = await server.client.get(ClusterRecord, ref);
    const versions = [metadata.resourceVersion];
    const once = hurried(server.client, 'update', isNoted('last'));
    await assert.rejects(updateCluster(once.client, ref, bigger, { versions }), problem('Changed'));
    assert.equal(once.calls.count, 1);
    assert.equal((await server.client.get(ClusterRecord, ref)).spec.cpuCapacity, 8);
  });

  it('does not bring back one that goes, and does not change the one that follows', async () => {
    await registerAnew();
    const gone = hurried(server.client, 'update', isRemoved);
    await assert.rejects(updateCluster(gone.client, ref, bigger), problem('NotRegistered'));
    const { cluster } = await registerCluster(server.client, cluster1);
    const { uid } = cluster.metadata;
    const replaced = hurried(server.client, 'update', isReplaced);
    await assert.rejects(
      updateCluster(replaced.client, { id: uid }, bigger),
      problem('NotRegistered'),
    );
    assert.equal((await server.client.get(ClusterRecord, ref)).spec.cpuCapacity, 8);
  });

  it('refuses one that begins to leave', async () => {
    await registerAnew();
    const isLeaving: Meanwhile = async (client) => {
      await isHeld(client);
      await isRemoved(client);
    };
    const { client } = hurried(server.client, 'update', isLeaving);
    await assert.rejects(updateCluster(client, ref, bigger), problem('Leaving'));
  });
});

describe('while a cluster is unregistered', () => {
  it('says that it is gone when somebody else was faster', async () => {
    for (const force of [false, true]) {
      for (const events of [[isRemoved], [nothing, isRemoved]]) {
        await registerAnew();
        const { client, calls } = hurried(server.client, 'delete', ...events);
        const work = unregisterCluster(client, ref, { force });
        // By force there is no trial before.
        if (force && events.length > 1) await work;
        else await assert.rejects(work, problem('NotRegistered'));
        assert.ok(calls.count > 0);
      }
    }
  });

  it('leaves the next cluster of that name alone', async () => {
    const uid = await registerAnew();
    const { client } = hurried(server.client, 'delete', nothing, isReplaced);
    await assert.rejects(unregisterCluster(client, ref), problem('Changed'));
    const { metadata } = await server.client.get(ClusterRecord, ref);
    assert.notEqual(metadata.uid, uid);
  });

  it('gives its work up by force, whoever writes in between', async () => {
    await registerAnew();
    await isHeld(server.client);
    const { client, calls } = hurried(server.client, 'update', isNoted('one'), isNoted('two'));
    const { outcome } = await unregisterCluster(client, ref, { force: true });
    assert.deepEqual([outcome, calls.count], ['leaving', 3]);
    const { metadata } = await server.client.get(ClusterRecord, ref);
    assert.equal(metadata.annotations?.two, 'noted');
    assert.equal(Object.keys(metadata.annotations ?? {}).length, 3);
    assert.notEqual(metadata.deletionTimestamp, undefined);
  });

  it('gives nothing up by force of one that the caller has not seen, or that is another', async () => {
    await registerAnew();
    await isHeld(server.client);
    const { metadata } = await server.client.get(ClusterRecord, ref);
    const versions = [metadata.resourceVersion];
    const noted = hurried(server.client, 'update', isNoted('one'));
    await assert.rejects(
      unregisterCluster(noted.client, ref, { force: true, versions }),
      problem('Changed'),
    );
    const isReplacedAtOnce: Meanwhile = async (client) => {
      await isPatched({ metadata: { finalizers: [] } })(client);
      await isReplaced(client);
    };
    const replaced = hurried(server.client, 'update', isReplacedAtOnce);
    await assert.rejects(unregisterCluster(replaced.client, ref, { force: true }), (error) =>
      isRegistrationError(error),
    );
    const { metadata: next } = await server.client.get(ClusterRecord, ref);
    assert.deepEqual([next.annotations, next.deletionTimestamp], [undefined, undefined]);
  });
});

describe('while a cluster is registered', () => {
  it('takes the name that becomes free in between', async () => {
    await registerAnew();
    const { client, calls } = hurried(server.client, 'get', isRemoved);
    const { outcome, cluster } = await registerCluster(client, { ...bigger, metadata: ref });
    assert.deepEqual([outcome, cluster.spec.cpuCapacity, calls.count], ['registered', 16, 1]);
  });

  it('finds the same one that somebody else registers in between', async () => {
    await isGone(server.client);
    const { client } = hurried(server.client, 'create', (direct) =>
      registerCluster(direct, cluster1),
    );
    assert.equal((await registerCluster(client, cluster1)).outcome, 'unchanged');
  });
});
