import assert from 'node:assert/strict';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { StoreEvent } from '@perigee/apiserver/store/store';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import type { Client } from '@perigee/kube/client/client';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { defineController } from '@perigee/kube/controller/define-controller';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { addReadyCluster } from '../support/bindings.ts';
import { claimControllers } from './claimed-world.ts';
import { type Chance, CLUSTERS, eventsOf } from './history.ts';
import { bestOffer, isOffer, meantBy, momentOf, verdictOn } from './history-oracle.ts';

const EVENTS = 10;
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

/** Stands in for the controller of Works at the end of a binding: histories have no Works. */
const letGo = defineController({
  name: 'let-go',
  for: ResourceBinding,
  async reconcile(ref, { cache, client, signal }) {
    const binding = cache(ResourceBinding).get(ref);
    if (binding?.metadata.deletionTimestamp === undefined) return undefined;
    await setFinalizers(client, ResourceBinding, binding, [], { fieldManager: 'test', signal });
    return undefined;
  },
});

/** The same server, which takes no events, new or repeated: nobody reads them, and each is a write. */
const withoutEvents = (client: Client): Client =>
  new Proxy(client, {
    get: (target, property) => {
      const method = Reflect.get(target, property);
      if (typeof method !== 'function') return method;
      if (property !== 'create' && property !== 'patch') return method.bind(target);
      return (kind: unknown, object: unknown, ...rest: readonly unknown[]) =>
        kind === Event ? Promise.resolve(object) : method.call(target, kind, object, ...rest);
    },
  });

/** A range of histories of a seed. */
export interface Histories {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
}

/** Plays histories one after the other in one control plane; throws what is wrong with the first bad one. */
export const runHistories = async ({ seed, from, to }: Histories): Promise<void> => {
  const clock = new VirtualClock({ seed });
  const logger = createLogger({ clock, level: 'error', write: () => {} });
  await using server = await startEmbeddedServer({ clock, logger, listener: 'none' });
  const { registry } = server;
  const client = withoutEvents(server.client);
  const { store, cluster } = registry;
  const changesOf = ({ group, plural }: ResourceKind, namespace: string, since: number) =>
    store.changes(`${cluster}/${group}/${plural}`, since).filter((event) => {
      const { key } = event.type === 'DELETED' ? event.previous : event.entry;
      return key.startsWith(`${namespace}/`);
    });
  for (const name of CLUSTERS) await addReadyCluster(client, name);
  const launch = async () => {
    const controllers = [
      ...claimControllers({ client, clock }),
      // Nobody says that a new copy is healthy, so that old ones go when their time is over.
      gracefulEvictionController(BINDING_KINDS[0], { graceMs: 1000 }),
      letGo,
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
      const { isClaimed, allowed } = verdictOn(now, at);
      const selectedSteps = meantBy(now.spec.placement, at.clusters);
      return isClaimed ? selectedSteps.filter((name) => !allowed.includes(name)) : [];
    };
    // Deletions during the write are seen with the next one.
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

  /** A claim leaves its source only when that no longer fits, and takes the best of those that do. */
  const checkBinding = (namespace: string, event: StoreEvent): void => {
    if (event.type !== 'MODIFIED') return;
    const [now, before] = [event.entry.object, event.previous.object] as never as [
      DataSourceClaim,
      DataSourceClaim,
    ];
    const { boundDataSource: taken } = now.status ?? {};
    const { boundDataSource: left } = before.status ?? {};
    if (taken === left) return;
    const moments = BACK.map((back) => momentOf(registry, namespace, event.revision - back));
    const keeps = ({ sources }: (typeof moments)[number]) =>
      sources.some((one) => one.metadata.name === left && isOffer(now, one));
    assert.ok(left === undefined || !moments.every(keeps), `${event.revision}: ${left} still fits`);
    const best = moments.map((moment) => bestOffer(now, moment)?.metadata.name);
    assert.ok(best.includes(taken), `${event.revision}: ${taken} is not the best of ${best}`);
  };

  /** In the end, all is as the claims, sources and clusters say, however it came to be. */
  const checkEnd = (binding: ResourceBinding, namespace: string): void => {
    const moment = momentOf(registry, namespace);
    const { isClaimed, mustWait, allowed } = verdictOn(binding, moment);
    const { annotations = {} } = binding.metadata;
    const base = annotations['policy.perigee.io/base-placement'];
    const policy = meantBy(
      base === undefined ? binding.spec.placement : JSON.parse(base),
      moment.clusters,
    );
    const selectedSteps = meantBy(binding.spec.placement, moment.clusters);
    assert.equal(base !== undefined, isClaimed, 'says that it carries data');
    const expected = isClaimed
      ? policy.filter((name) => !mustWait && allowed.includes(name))
      : policy;
    assert.deepEqual(selectedSteps, expected);
    assert.equal(isHeld(binding), mustWait);
    const isInjected = annotations['datadependency.volcano.sh/placement-injected'] === 'true';
    assert.equal(isInjected, isClaimed && !mustWait);
    if (expected.length === 0) return;
    // As in Karmada, replicas that are shared out stay where a cluster's labels no longer match; data is names.
    const { replicaSchedulingType: share } = binding.spec.placement?.replicaScheduling ?? {};
    const bounds = share !== 'Divided' ? expected : isClaimed ? allowed : namesOf(binding);
    // No controller here takes work out of deleted clusters.
    const members = new Set(moment.clusters.map(({ metadata }) => metadata.name));
    assert.deepEqual(
      namesOf(binding).filter((name) => members.has(name) && !bounds.includes(name)),
      [],
      'outside',
    );
    assert.ok(namesOf(binding).length > 0, 'nowhere, although there is a place');
  };

  /** In the end, each claim has a source that fits, if there is one; if there is one only, it has that. */
  const checkClaims = (namespace: string): void => {
    const { claims, sources } = momentOf(registry, namespace);
    for (const claim of claims) {
      const offers = sources.filter((one) => isOffer(claim, one)).map((one) => one.metadata.name);
      const { boundDataSource: bound } = claim.status ?? {};
      assert.ok(
        bound === undefined ? offers.length === 0 : offers.includes(bound),
        `${claim.metadata.name} is bound to ${bound}, and could be to ${offers}`,
      );
    }
  };

  for (let at = from; at < to; at += 1) {
    const namespace = `h${at}`;
    const chance = chanceOf(seed + at);
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
      for (const event of changesOf(ResourceBinding, namespace, begin))
        checkWrite(namespace, event);
      for (const event of changesOf(DataSourceClaim, namespace, begin)) {
        checkBinding(namespace, event);
      }
      checkClaims(namespace);
      const { items } = await client.list(ResourceBinding, { namespace });
      for (const binding of items) checkEnd(binding, namespace);
    } catch (error) {
      const { items } = await client.list(ResourceBinding, { namespace });
      const state = JSON.stringify(
        items.map(({ metadata: { annotations }, spec, status }) => ({ annotations, spec, status })),
      );
      throw new Error(`history ${at} of the seed ${seed}: ${state}`, { cause: error });
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
