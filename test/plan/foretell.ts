import assert from 'node:assert/strict';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { readWorld } from '@perigee/cli/placement/plan/read-world';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { stateAfter, TURN_MS } from '@perigee/scheduling/plan/plan';
import type { Change, Put, World } from '@perigee/scheduling/plan/world';
import { runs } from '@perigee/scheduling/suggest/stuck-work';
import { suggest } from '@perigee/scheduling/suggest/suggest';
import type { JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import { followSuggestion } from './follow-suggestion.ts';
import { type ForetoldPlane, setReady } from './foretold-plane.ts';
import type { RandomChange, RandomFleet, RandomWork } from './random-fleet.ts';
import {
  clusterName,
  clusterStatus,
  writtenClaim,
  writtenCluster,
  writtenPolicy,
  writtenQueue,
  writtenSource,
  writtenWork,
} from './written-objects.ts';

type Written = ReturnType<typeof writtenPolicy>;

const MINUTE_MS = 60_000;
/** Longer than losses, tolerations, the pace of evictions and the recovery from a standstill take together. */
const SETTLED_MS = 4 * MINUTE_MS;
/**
 * So long evictions may wait for a replacement that does not become healthy, and work in turns for a queue. Turns change
 * every five minutes, and nothing is to happen at the very moment at which they do.
 */
const PATIENCE_MS = 12.5 * MINUTE_MS;

/** Objects of a fleet, owners before their dependents; its queues stay, and are written anew. */
const BROUGHT: readonly ResourceKind[] = [
  ScheduleTrigger,
  Deployment,
  PropagationPolicy,
  DataSourceClaim,
  DataSource,
  ResourceBinding,
  MemberCluster,
];

/** The names of data by which work claims it; what is later comes to be there only when something happens. */
const DATA = { bound: 'known', unbound: 'later', misspelt: 'konwn' } as const;

/** A fleet in a control plane, to which things happen. */
export class Foretold {
  readonly #plane: ForetoldPlane;
  readonly #mapper: RestMapper;
  readonly #fleet: RandomFleet;
  readonly #work = new Map<string, RandomWork>();
  #clusters = 0;

  constructor(plane: ForetoldPlane, fleet: RandomFleet) {
    this.#plane = plane;
    this.#mapper = new RestMapper(plane.client);
    this.#fleet = fleet;
  }

  async #apply(written: Written) {
    const { apiVersion, kind, metadata } = written as never as {
      apiVersion: string;
      kind: string;
      metadata: { namespace?: string; name: string };
    };
    const resource = await this.#mapper.byKind(apiVersion, kind);
    const { namespace, name } = metadata;
    const ref = namespace === undefined ? { name } : { namespace, name };
    const patch = { type: 'apply', body: written, fieldManager: 'test', force: true } as const;
    const storedObject = await this.#plane.client.patch(resource, ref, patch);
    return { ...storedObject, apiVersion, kind };
  }

  async #addCluster(random: RandomFleet['clusters'][number]): Promise<void> {
    const at = this.#clusters++;
    await this.#apply(writtenCluster(at, random));
    const patch = { type: 'merge', body: { status: clusterStatus(random) } } as const;
    const { client, clock } = this.#plane;
    const name = clusterName(at);
    await client.patch(MemberCluster, { name }, patch, { subresource: 'status' });
    await setReady(client, name, 'True', formatTime(clock.now()));
  }

  async #addWork(random: RandomWork) {
    const name = `w${this.#work.size}`;
    this.#work.set(name, random);
    if (random.claim !== 'none') {
      await this.#apply(writtenClaim(name, DATA[random.claim]));
    }
    return this.#apply(writtenWork(name, random, this.#fleet.policies.length));
  }

  /** Lets time pass until nothing is on its way any more. */
  async #settle(): Promise<void> {
    const { client, clock } = this.#plane;
    await clock.advance(SETTLED_MS);
    const { items } = await client.list(ResourceBinding, {});
    const isUnderWay = items.some(
      ({ spec }) =>
        (spec.gracefulEvictionTasks ?? []).length > 0 || spec.suspension?.scheduling === true,
    );
    if (isUnderWay) await clock.advance(PATIENCE_MS);
  }

  /** Takes the fleet away, so that another can be there. */
  async end(): Promise<void> {
    const { client, clock } = this.#plane;
    for (const kind of BROUGHT) {
      for (const { metadata } of (await client.list(kind, {})).items) {
        const { namespace, name } = metadata;
        const ref = namespace === undefined ? { name } : { namespace, name };
        const body = { metadata: { finalizers: null } };
        await client.patch(kind, ref, { type: 'merge', body }).catch(ignoreNotFound);
        await client.delete(kind, ref).catch(ignoreNotFound);
      }
      await clock.advance(0);
    }
    await clock.advance(SETTLED_MS);
  }

  /** Brings the fleet about, and lets it come to rest. */
  async begin(): Promise<void> {
    const { clusters, policies, work } = this.#fleet;
    for (const one of clusters) await this.#addCluster(one);
    await this.#apply(writtenSource('known', clusters.map((_, at) => clusterName(at)).slice(0, 2)));
    await this.#apply(writtenQueue('small', { capability: { cpu: '3' } }));
    await this.#apply(writtenQueue('large', { capability: { cpu: '40' } }));
    await this.#apply(writtenQueue('closed', {}, { 'queue.perigee.io/closed': 'true' }));
    for (const [at, one] of policies.entries()) await this.#apply(writtenPolicy(at, one));
    for (const one of work) await this.#addWork(one);
    await this.#settle();
  }

  async #world(): Promise<World> {
    const { client, clock } = this.#plane;
    const { world } = await readWorld(client, 'default', clock.now());
    const { items } = await client.list(Deployment, {});
    const templates = items.map(
      (one) => ({ ...one, apiVersion: 'apps/v1', kind: 'Deployment' }) as never as Template,
    );
    return { ...world, templates };
  }

  /** Lets something happen for real, and says it in the words of a plan. */
  async #happen(change: RandomChange, world: World): Promise<readonly Change[]> {
    const { client } = this.#plane;
    const put = async (of: Put['of'], written: Written): Promise<readonly Change[]> => [
      { kind: 'put', of, object: await this.#apply(written) } as never,
    ];
    const names = world.clusters.map(({ metadata }) => metadata.name);
    const clusterAt = (at: number): string => names[at % names.length] ?? '';
    const works = [...this.#work];
    switch (change.kind) {
      case 'lose': {
        const cluster = clusterAt(change.at);
        return [{ kind: 'lose', cluster }];
      }
      case 'drain': {
        const cluster = clusterAt(change.at);
        await client.delete(MemberCluster, { name: cluster });
        return [{ kind: 'drain', cluster }];
      }
      case 'work': {
        const claims = change.work.claim === 'none' ? [] : [`w${this.#work.size}`];
        const object = await this.#addWork(change.work);
        const newClaims = (await this.#world()).claims.filter((one) =>
          claims.includes(one.metadata.name),
        );
        return [
          ...newClaims.map(
            ({ status: _, ...claim }): Change => ({ kind: 'put', of: 'claim', object: claim }),
          ),
          { kind: 'put', of: 'template', object: object as never },
        ];
      }
      case 'scale': {
        const [name, work] = works[change.at % works.length] as (typeof works)[number];
        const { length } = this.#fleet.policies;
        return put('template', writtenWork(name, work, length, change.replicas));
      }
      case 'policy': {
        const at = change.at % this.#fleet.policies.length;
        return put('policy', writtenPolicy(at, change.placement));
      }
      case 'join': {
        await this.#addCluster(change.cluster);
        const object = await client.get(MemberCluster, { name: clusterName(this.#clusters - 1) });
        return [{ kind: 'put', of: 'cluster', object }];
      }
      case 'cluster': {
        const name = clusterAt(change.at);
        return put('cluster', writtenCluster(Number(name.slice(1)) - 1, change.cluster));
      }
      case 'data':
        return put('source', writtenSource('later', [clusterAt(change.at)]));
      case 'queue':
        return put('queue', writtenQueue('small', { capability: { cpu: String(change.cpu) } }));
      case 'trigger': {
        const spec = { targetSelectors: [{}] };
        await client.create(ScheduleTrigger, { metadata: { generateName: 't-' }, spec } as never);
        return [{ kind: 'trigger', spec: spec as never }];
      }
    }
  }

  /** Foretells a change, lets it happen, and compares. */
  async check(change: RandomChange): Promise<void> {
    const { client, clock } = this.#plane;
    const world = await this.#world();
    const changes = await this.#happen(change, world);
    const [first] = changes;
    if (first?.kind === 'lose') {
      await clock.advance(30_000);
      await setReady(client, first.cluster, 'False', formatTime(clock.now()));
    }
    await this.#settle();
    const foreseen = summaryOf([...stateAfter(world, changes).bindings.values()] as never);
    const { items } = await client.list(ResourceBinding, {});
    assert.deepEqual(foreseen, summaryOf(items), JSON.stringify(change));
  }

  /** Follows the best suggestion for the first work that has one, and sees it run; tells whether there was any. */
  async checkSuggestion(): Promise<boolean> {
    const { client, clock } = this.#plane;
    const world = await this.#world();
    for (const name of this.#work.keys()) {
      const subject = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name };
      const [best] = suggest(world, subject);
      if (best === undefined) continue;
      for (const [at, change] of best.changes.entries()) {
        if (at > 0) await clock.advance(TURN_MS);
        await followSuggestion(client, this.#mapper, change);
      }
      await this.#settle();
      const ref = { namespace: 'default', name: `${name}-deployment` };
      const binding = await client.get(ResourceBinding, ref);
      const changeText = best.changes.map(({ text }) => text).join(', and ');
      assert.ok(runs(binding), `${name} does not run after: ${changeText}`);
      return true;
    }
    return false;
  }
}

/** Place of each piece of work, or the reason that holds it back. */
const summaryOf = (bindings: readonly ResourceBinding[]): JsonObject =>
  Object.fromEntries(
    bindings
      .map(({ metadata, spec }): [string, string] => {
        const shares = (spec.clusters ?? [])
          .map(({ name, replicas }) => `${name}:${replicas}`)
          .sort();
        const tasks = (spec.gracefulEvictionTasks ?? []).map(
          ({ fromCluster }) => `-${fromCluster}`,
        );
        const holds = spec.suspension?.scheduling === true ? ['held'] : [];
        return [metadata.name, [...shares, ...tasks, ...holds].join(' ')];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
