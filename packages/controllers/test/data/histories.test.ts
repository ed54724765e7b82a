import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { StoreEvent } from '@perigee/apiserver/store/store';
import { bindingWorkController } from '@perigee/controllers/placement/binding-work/binding-work-controller';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { addReadyCluster } from '../support/bindings.ts';
import { claimControllers } from './claimed-world.ts';
import { type Chance, CLUSTERS, eventsOf } from './history.ts';
import { asOffered, asSaid, meantBy, momentOf, verdictOn } from './history-oracle.ts';

const HISTORIES = Number(process.env.PERIGEE_HISTORIES ?? 200);
const SEED = Number(process.env.PERIGEE_SEED ?? 20_261_116);
const EVENTS = 10;
const IN_ONE_PLANE = 200;
const BACK = [1, 2, 3, 4, 5, 6];

const chanceOf = (seed: number): Chance => {
  const random = seededRandom(seed);
  return {
    happens: (probability) => random() < probability,
    pick: (from) => from[Math.floor(random() * from.length)] as (typeof from)[number],
  };
};

const namesOf = (binding: ResourceBinding | undefined): readonly string[] =>
  (binding?.spec.clusters ?? []).map(({ name }) => name).sort();

const isHeld = ({ spec }: ResourceBinding): boolean => spec.suspension?.scheduling === true;

/** Some histories, one after the other in one control plane. */
const runHistories = async (from: number, to: number): Promise<void> => {
  const clock = new VirtualClock({ seed: SEED });
  const logger = createLogger({ clock, level: 'error', write: () => {} });
  await using server = await startEmbeddedServer({ clock, logger, listener: 'none' });
  const { client, registry } = server;
  const { store, cluster } = registry;
  const bindings = `${cluster}/${ResourceBinding.group}/${ResourceBinding.plural}`;
  for (const name of CLUSTERS) await addReadyCluster(client, name);
  const launch = async () => {
    const controllers = [
      ...claimControllers({ client, clock }),
      // Nobody says that a new copy is healthy, so that old ones go when their time is over.
      gracefulEvictionController(BINDING_KINDS[0], { graceMs: 1000 }),
      // Lets go of bindings whose work is deleted.
      bindingWorkController(BINDING_KINDS[0], { interpreter: createInterpreter(nativeKinds) }),
    ];
    const manager = new Manager({ client, clock, logger, controllers });
    await manager.start();
    return manager;
  };
  let running = await launch();
  const restart = async () => {
    const ending = running[Symbol.asyncDispose]();
    await clock.advance(60_000);
    await ending;
    running = await launch();
  };

  /** No write adds a cluster that the placement, as it was read, does not mean; and no placement means more than the data. */
  const checkWrite = (namespace: string, event: StoreEvent): void => {
    if (event.type === 'DELETED') return;
    const now = event.entry.object as never as ResourceBinding;
    const before =
      event.type === 'ADDED' ? undefined : (event.previous.object as never as ResourceBinding);
    const isSpec = now.metadata.generation !== before?.metadata.generation;
    const outsideAt = (revision: number): readonly string[] => {
      const at = momentOf(registry, namespace, revision);
      const { isClaimed, allowed, mayStay } = verdictOn(now, at, asSaid);
      const meant = meantBy(now.spec.placement, at.clusters);
      return isClaimed && !mayStay ? meant.filter((name) => !allowed.includes(name)) : [];
    };
    // What is deleted while the write is on its way is seen with the next one.
    const [newest = -1, ...earlier] = BACK.map((back) => event.revision - back);
    const isInside = [newest, ...earlier].some((revision) => outsideAt(revision).length === 0);
    if (isSpec && !isInside)
      assert.deepEqual(outsideAt(newest), [], `${event.revision}: placement`);
    if (before === undefined) return;
    const added = namesOf(now).filter((name) => !namesOf(before).includes(name));
    if (added.length === 0) return;
    const clusters = BACK.flatMap(
      (back) => momentOf(registry, namespace, event.revision - back).clusters,
    );
    const read = meantBy(before.spec.placement, clusters);
    assert.deepEqual(
      added.filter((name) => !read.includes(name)),
      [],
      `${event.revision}: added`,
    );
    assert.ok(!isHeld(before), `${event.revision}: scheduled while held`);
  };

  /** In the end, all is as the claims, sources and clusters say, however it came to be. */
  const checkEnd = (binding: ResourceBinding, namespace: string): void => {
    const moment = momentOf(registry, namespace);
    const { isClaimed, mustWait, mayStay, allowed } = verdictOn(binding, moment, asOffered);
    const { annotations = {} } = binding.metadata;
    const base = annotations['policy.perigee.io/base-placement'];
    const policy = meantBy(
      base === undefined ? binding.spec.placement : JSON.parse(base),
      moment.clusters,
    );
    const meant = meantBy(binding.spec.placement, moment.clusters);
    assert.equal(base !== undefined, isClaimed, 'says that it carries data');
    if (mayStay) return;
    const expected = isClaimed
      ? policy.filter((name) => !mustWait && allowed.includes(name))
      : policy;
    assert.deepEqual(meant, expected);
    assert.equal(isHeld(binding), mustWait);
    const isInjected = annotations['datadependency.volcano.sh/placement-injected'] === 'true';
    assert.equal(isInjected, isClaimed && !mustWait);
    if (expected.length === 0) return;
    assert.deepEqual(
      namesOf(binding).filter((name) => !expected.includes(name)),
      [],
      'outside',
    );
    assert.ok(namesOf(binding).length > 0, 'nowhere, although there is a place');
  };

  for (let at = from; at < to; at += 1) {
    const namespace = `h${at}`;
    const chance = chanceOf(SEED + at);
    await client.create(Namespace, { metadata: { name: namespace } });
    const begin = store.revision;
    const { begin: start, next, end } = eventsOf(client, namespace, chance);
    try {
      await start();
      for (let step = 0; step < EVENTS; step += 1) {
        await next();
        if (chance.happens(0.3)) await clock.advance(0);
        if (chance.happens(0.01)) await restart();
      }
      await clock.advance(5000);
      const changes = store.changes(bindings, begin).filter((event) => {
        const { key } = event.type === 'DELETED' ? event.previous : event.entry;
        return key.startsWith(`${namespace}/`);
      });
      for (const event of changes) checkWrite(namespace, event);
      const { items } = await client.list(ResourceBinding, { namespace });
      for (const binding of items) checkEnd(binding, namespace);
    } catch (error) {
      const { items } = await client.list(ResourceBinding, { namespace });
      const state = JSON.stringify(
        items.map(({ metadata: { annotations }, spec, status }) => ({ annotations, spec, status })),
      );
      throw new Error(`history ${at} of the seed ${SEED}: ${state}`, { cause: error });
    }
    await end();
    await clock.advance(0);
    await client.patch(
      MemberCluster,
      { name: 'c1' },
      { type: 'merge', body: { metadata: { labels: { zone: 'a' } } } },
    );
  }
  const ending = running[Symbol.asyncDispose]();
  await clock.advance(60_000);
  await ending;
};

test(`claims hold in ${HISTORIES} random histories, in any order and over restarts`, async () => {
  for (let from = 0; from < HISTORIES; from += IN_ONE_PLANE) {
    await runHistories(from, Math.min(HISTORIES, from + IN_ONE_PLANE));
  }
});
