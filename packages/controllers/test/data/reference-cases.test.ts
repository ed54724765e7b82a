import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { PLUGINS, Provisioners } from '@perigee/controllers/data/provision/provisioners';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { ApiError } from '@perigee/kube/errors';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { dataProvisionerController } from '../../src/data/provision/data-provisioner-controller.ts';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { startProvisionerServer } from '../support/provisioner-server.ts';
import { claimControllers, claimedWorld } from './claimed-world.ts';

const INJECTED = 'datadependency.volcano.sh/placement-injected';
const HELD_BY_VOLCANO = 'datadependency.volcano.sh/datasource-finalizer';
const MANY = 1000;

/** Answers with an error when the test says so, as an API server in trouble does. */
const unreliable = () => {
  let failures = 0;
  return {
    fail: (times: number) => {
      failures = times;
    },
    left: () => failures,
    reach: (client: Client): Client =>
      new Proxy(client, {
        get: (target, property) => {
          const method = Reflect.get(target, property);
          if (typeof method !== 'function') return method;
          return (...args: readonly unknown[]) => {
            if (property === 'patch' && args[0] === DataSourceClaim && failures > 0) {
              failures -= 1;
              const message = 'the server is in trouble';
              throw new ApiError({
                status: 'Failure',
                message,
                reason: 'InternalError',
                code: 500,
              });
            }
            return method.apply(target, args);
          };
        },
      }),
  };
};

/** The cases of the design that this follows, in our words. A dash tells what is other than there, and why. */
describe('the reference for data claims', () => {
  const server = unreliable();
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let catalogue: Awaited<ReturnType<typeof startProvisionerServer>>;
  let provisioners: Provisioners;
  let spaces = 0;

  before(async () => {
    catalogue = await startProvisionerServer(() => ({ code: 404, body: { found: false } }));
    plane = await startControlPlane({
      isQuiet: true,
      reach: server.reach,
      controllers: ({ client, clock }) => {
        provisioners = new Provisioners({ client, clock });
        return [
          ...claimControllers({ client, clock }),
          dataProvisionerController({ provisioners, clock }),
        ];
      },
    });
    for (const name of ['c1', 'c2', 'c3', 'c4']) await addReadyCluster(plane.client, name);
    await plane.client.create(Namespace, { metadata: { name: PLUGINS.namespace } });
    const asked = JSON.stringify({ endpoint: { url: catalogue.url } });
    await plane.client.create(ConfigMap, { metadata: PLUGINS, data: { asked } });
  });
  after(async () => {
    await provisioners[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
    await catalogue[Symbol.asyncDispose]();
  });

  const world = async () => {
    spaces += 1;
    const namespace = `case-${spaces}`;
    await plane.client.create(Namespace, { metadata: { name: namespace } });
    const made = claimedWorld(plane.client, namespace);
    await made.policy({ replicaScheduling: { replicaSchedulingType: 'Duplicated' } });
    const get = (name: string) =>
      getOrUndefined(plane.client, DataSourceClaim, { namespace, name });
    return {
      ...made,
      namespace,
      data: (name: string) => `${namespace}.${name}`,
      /** The phase of a claim, and what it is bound to: `Bound sales`. */
      claimed: async (name: string): Promise<string> => {
        await plane.settled();
        const { status } = (await get(name)) ?? {};
        return `${status?.phase ?? 'gone'} ${status?.boundDataSource ?? '-'}`;
      },
      /** So many claims a source has: `2 of a, b`. */
      claims: async (name: string): Promise<string> => {
        await plane.settled();
        const found = await getOrUndefined(plane.client, DataSource, { name });
        if (found === undefined) return 'gone';
        const { boundClaims, claimRefs = [] } = found.status ?? {};
        return `${boundClaims} of ${claimRefs.map((ref) => ref.name).join(', ') || 'nobody'}`;
      },
      /** The clusters of the work, and those that its placement allows: `c1 in c1 c2`. */
      placed: async (name: string): Promise<string> => {
        await plane.settled();
        const binding = await made.binding(name);
        const { spec, metadata } = binding ?? {};
        const there = (spec?.clusters ?? []).map((one) => one.name).join(' ');
        const { clusterNames = ['all'], exclude = [] } = spec?.placement?.clusterAffinity ?? {};
        const mark = metadata?.annotations?.[INJECTED] === 'true' ? '' : ' unmarked';
        const held = spec?.suspension?.scheduling === true ? ' held' : '';
        const less = exclude.length === 0 ? '' : ` less ${exclude.join(' ')}`;
        return `${there || 'nowhere'} in ${clusterNames.join(' ')}${less}${mark}${held}`;
      },
      claim: (name: string, data: string, work: string, more: object = {}) =>
        made.claim(name, data, work, more as never),
      get,
    };
  };
  type World = Awaited<ReturnType<typeof world>>;

  /** Sockets are of the real world: who waits for them has to look again. */
  const until = async (look: () => Promise<string>, expected: RegExp): Promise<string> => {
    for (let tries = 0; ; tries += 1) {
      await plane.clock.advance(50);
      const seen = await look();
      if (expected.test(seen)) return seen.replace(expected, '$1');
      assert.ok(tries < MANY, `it stays ${seen}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const writes = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
    const versions = async () => {
      const { items } = await plane.client.list(DataSourceClaim);
      return new Map(items.map(({ metadata }) => [metadata.uid, metadata]));
    };
    await plane.settled();
    const earlier = await versions();
    await act();
    await plane.settled();
    const now = await versions();
    return [...now.values()]
      .filter(({ uid, resourceVersion: at }) => earlier.get(uid)?.resourceVersion !== at)
      .map(({ name }) => name)
      .sort();
  };

  const CASES: {
    readonly [name: string]: readonly [expected: unknown, run: (world: World) => Promise<unknown>];
  } = {
    '1: a new claim has no finalizer - nothing needs to hold it, so nothing can hang': [
      undefined,
      async ({ claim, get, data, claimed }) => {
        await claim('k', data('x'), 'w');
        await claimed('k');
        return (await get('k'))?.metadata.finalizers;
      },
    ],
    '2: a new claim is Pending': [
      'Pending -',
      async ({ claim, claimed, data }) => {
        await claim('k', data('x'), 'w');
        return claimed('k');
      },
    ],
    '3: no source, and the provisioner knows two clusters: a source is made, the claim bound': [
      ['Bound', ['c1', 'c2']],
      async ({ claim, claimed, data }) => {
        const body = { found: true, locality: { clusterNames: ['c1', 'c2'] } };
        catalogue.answer(() => ({ body }));
        await claim('k', data('x'), 'w', { system: 'asked' });
        const name = await until(() => claimed('k'), /^Bound (.*)$/);
        const { spec } = await plane.client.get(DataSource, { name });
        return ['Bound', spec.locality.clusterNames];
      },
    ],
    '4: a bound claim whose work is not there just waits': [
      ['Bound', []],
      async ({ claim, source, claimed, data }) => {
        await source(data('x'), ['c1']);
        await claim('k', data('x'), 'w');
        return [(await claimed('k')).split(' ')[0], plane.troubles()];
      },
    ],
    '6: data in two of four clusters: work is allowed there - by name, not by what is excluded': [
      'c1 c2 in c1 c2',
      async ({ claim, source, deployment, placed, data }) => {
        await source(data('x'), ['c1', 'c2']);
        await claim('k', data('x'), 'w');
        await deployment('w');
        return placed('w');
      },
    ],
    '8: a second claim of the same data, for other work, is bound to the same source': [
      ['2 of k1, k2', 'c1 c2 in c1 c2'],
      async ({ claim, source, deployment, claims, placed, data }) => {
        await source(data('x'), ['c1', 'c2']);
        await claim('k1', data('x'), 'w1');
        await claim('k2', data('x'), 'w2');
        await deployment('w2');
        return [await claims(data('x')), await placed('w2')];
      },
    ],
    '9.1: a bound claim turns to data that nobody has: Pending, the old source free, work waits where it runs':
      [
        ['Pending -', '0 of nobody', 'c1 in NO-CLUSTER-HAS-THE-DATA unmarked held', 'Pending -'],
        async ({ claim, source, deployment, placed, claimed, claims, editClaim, data }) => {
          await source(data('x'), ['c1']);
          await claim('k', data('x'), 'w');
          await deployment('w');
          await placed('w');
          await editClaim('k', { dataSourceName: data('none') });
          const seen = [await claimed('k'), await claims(data('x')), await placed('w')];
          return [...seen, await claimed('k')];
        },
      ],
    '9.2: a bound claim turns to data elsewhere: bound to that, and the work goes there': [
      ['Bound y', 'c3 c4 in c3 c4'],
      async ({ claim, source, deployment, placed, claimed, editClaim, data, namespace }) => {
        await source(data('x'), ['c1', 'c2']);
        await source(data('y'), ['c3', 'c4']);
        await claim('k', data('x'), 'w');
        await deployment('w');
        await placed('w');
        await editClaim('k', { dataSourceName: data('y') });
        await placed('w');
        // The old copies go gracefully, when the new ones have had their time.
        await plane.clock.advance(0);
        return [(await claimed('k')).replace(`${namespace}.`, ''), await placed('w')];
      },
    ],
    '10: a claim is deleted, its source kept: nobody claims it, and work may go where its policy says':
      [
        ['gone -', '0 of nobody', 'c1 c2 c3 c4 in all unmarked'],
        async ({ claim, source, deployment, placed, claimed, claims, noClaim, data }) => {
          await source(data('x'), ['c1'], { reclaimPolicy: 'Retain' });
          await claim('k', data('x'), 'w');
          await deployment('w');
          await placed('w');
          await noClaim('k');
          return [await claimed('k'), await claims(data('x')), await placed('w')];
        },
      ],
    '11: data moves from c1 c2 to c2 c3: the claim stays bound, the work follows': [
      ['Bound', 'c2 c3 in c2 c3'],
      async ({ claim, source, deployment, placed, claimed, data }) => {
        await source(data('x'), ['c1', 'c2']);
        await claim('k', data('x'), 'w');
        await deployment('w');
        await placed('w');
        await source(data('x'), ['c2', 'c3']);
        await placed('w');
        return [(await claimed('k')).split(' ')[0], await placed('w')];
      },
    ],
    '12: a source that is being deleted fits nobody, lets its claim go, and is gone': [
      ['Pending -', 'gone', 'Pending -'],
      async ({ claim, source, claimed, claims, noSource, data }) => {
        await source(data('x'), ['c1']);
        const body = { metadata: { finalizers: [HELD_BY_VOLCANO] } };
        await plane.client.patch(DataSource, { name: data('x') }, { type: 'merge', body });
        await claim('k', data('x'), 'w');
        await claimed('k');
        await noSource(data('x'));
        const seen = [await claimed('k'), await claims(data('x'))];
        await claim('k2', data('x'), 'w2');
        return [...seen, await claimed('k2')];
      },
    ],
    'del: a claim goes although its source is gone': [
      'gone -',
      async ({ claim, source, claimed, noSource, noClaim, data }) => {
        await source(data('x'), ['c1']);
        await claim('k', data('x'), 'w');
        await claimed('k');
        await noSource(data('x'));
        await noClaim('k');
        return claimed('k');
      },
    ],
    'del: with the policy Delete, a source goes with its last claim, and not before': [
      ['1 of k2', 'gone'],
      async ({ claim, source, claims, noClaim, data }) => {
        await source(data('x'), ['c1'], { reclaimPolicy: 'Delete' });
        await claim('k1', data('x'), 'w');
        await claim('k2', data('x'), 'w');
        await claims(data('x'));
        await noClaim('k1');
        const one = await claims(data('x'));
        await noClaim('k2');
        return [one, await claims(data('x'))];
      },
    ],
    'del: a claim that was never bound just goes': [
      'gone -',
      async ({ claim, claimed, noClaim, data }) => {
        await claim('k', data('x'), 'w');
        await claimed('k');
        await noClaim('k');
        return claimed('k');
      },
    ],
    'bind: a status that cannot be written is tried again, and then the claim is bound': [
      ['Bound', 0],
      async ({ claim, source, claimed, data }) => {
        await source(data('x'), ['c1']);
        server.fail(3);
        await claim('k', data('x'), 'w');
        const phase = await until(() => claimed('k'), /^(Bound) .*$/);
        return [phase, server.left()];
      },
    ],
    'bind: an event tells of it': [
      'bound to the DataSource',
      async ({ claim, source, claimed, data, namespace }) => {
        await source(data('x'), ['c1']);
        await claim('k', data('x'), 'w');
        await claimed('k');
        await plane.clock.advance(1000);
        const { items } = await plane.client.list(Event, { namespace });
        const told = items.find(({ reason }) => reason === 'Bound') as
          | { message?: string }
          | undefined;
        return told?.message?.slice(0, 'bound to the DataSource'.length);
      },
    ],
    'dyn: a provisioner in trouble makes nothing; the claim waits, and is asked for again': [
      ['Pending -', 'Bound'],
      async ({ claim, claimed, data }) => {
        let asked = 0;
        catalogue.answer(() => {
          asked += 1;
          return { code: 500, body: {} };
        });
        await claim('k', data('x'), 'w', { system: 'asked' });
        await until(async () => String(asked > 0), /true/);
        const waiting = await claimed('k');
        const body = { found: true, locality: { clusterNames: ['c1'] } };
        catalogue.answer(() => ({ body }));
        return [waiting, await until(() => claimed('k'), /^(Bound) .*$/)];
      },
    ],
    'dyn: a provisioner that knows nothing makes nothing; the claim says so, and is asked for again':
      [
        ['DataNotFound', 'Bound'],
        async ({ claim, claimed, data, get }) => {
          catalogue.answer(() => ({ code: 404, body: { found: false } }));
          await claim('k', data('x'), 'w', { system: 'asked' });
          const why = async () =>
            findCondition((await get('k'))?.status?.conditions, 'Provisioned')?.reason ?? '-';
          const reason = await until(why, /^(\w+)$/);
          const body = { found: true, locality: { clusterNames: ['c1'] } };
          catalogue.answer(() => ({ body }));
          return [reason, await until(() => claimed('k'), /^(Bound) .*$/)];
        },
      ],
    'rb: a claim that is about no work is refused': [
      422,
      async ({ claim, data }) =>
        claim('k', data('x'), 'w', { workload: undefined }).then(
          () => 'taken',
          (error: ApiError) => error.code,
        ),
    ],
    'rb: of several workloads, the one that is named is meant': [
      ['c1 in c1', 'c1 c2 c3 c4 in all unmarked'],
      async ({ claim, source, deployment, placed, data }) => {
        await source(data('x'), ['c1']);
        await claim('k', data('x'), 'w1');
        await deployment('w1');
        await deployment('w2');
        return [await placed('w1'), await placed('w2')];
      },
    ],
    'rb: work of the same name in another namespace is left alone': [
      'c1 c2 c3 c4 in all unmarked',
      async ({ claim, source, data }) => {
        const other = await world();
        await other.deployment('w');
        await source(data('x'), ['c1']);
        await claim('k', data('x'), 'w');
        return other.placed('w');
      },
    ],
    'inject: data that is nowhere lets work wait - there it could go anywhere': [
      'nowhere in NO-CLUSTER-HAS-THE-DATA unmarked held',
      async ({ claim, source, deployment, placed, data }) => {
        await source(data('x'), []);
        await claim('k', data('x'), 'w');
        await deployment('w');
        return placed('w');
      },
    ],
    'inject: what the user excludes stays excluded, also within the data': [
      'c1 in c1 c4 less c4',
      async ({ claim, source, deployment, placed, policy, data }) => {
        await policy({ clusterAffinity: { exclude: ['c4'] } });
        await source(data('x'), ['c1', 'c4']);
        await claim('k', data('x'), 'w');
        await deployment('w');
        return placed('w');
      },
    ],
    'resched: what the user excludes is still there when the claim is gone - there it was taken for ours':
      [
        'c1 c2 c3 in all less c4 unmarked',
        async ({ claim, source, deployment, placed, policy, noClaim, data }) => {
          await policy({
            clusterAffinity: { exclude: ['c4'] },
            replicaScheduling: { replicaSchedulingType: 'Duplicated' },
          });
          await source(data('x'), ['c1', 'c2']);
          await claim('k', data('x'), 'w');
          await deployment('w');
          await placed('w');
          await noClaim('k');
          return placed('w');
        },
      ],
    'resched: work on c1 whose data grows to c2 keeps c1 - there it was taken away first': [
      ['c1 c2 in c1 c2', 'c1, c1 c2'],
      async ({ claim, source, deployment, placed, data, namespace }) => {
        await source(data('x'), ['c1']);
        await claim('k', data('x'), 'w');
        await deployment('w');
        await placed('w');
        const seen = new Set<string>();
        const options = { namespace, resourceVersion: '0' };
        const ended = new AbortController();
        const watching = (async () => {
          const signal = ended.signal;
          for await (const event of plane.client.watch(ResourceBinding, { ...options, signal })) {
            if (event.type === 'BOOKMARK') continue;
            seen.add((event.object.spec.clusters ?? []).map(({ name }) => name).join(' '));
          }
        })().catch(() => {});
        await source(data('x'), ['c1', 'c2']);
        const end = await placed('w');
        ended.abort();
        await watching;
        return [end, [...seen].join(', ')];
      },
    ],
    'resched: data that goes altogether leaves running work where it is - there it could go anywhere':
      [
        'c1 in NO-CLUSTER-HAS-THE-DATA unmarked held',
        async ({ claim, source, deployment, placed, data }) => {
          await source(data('x'), ['c1']);
          await claim('k', data('x'), 'w');
          await deployment('w');
          await placed('w');
          await source(data('x'), []);
          return placed('w');
        },
      ],
    'handlers: a source that appears touches the claims that want its data, in all namespaces': [
      ['k1', 'k2'],
      async ({ claim, source, data }) => {
        const other = await world();
        await claim('k1', data('x'), 'w');
        await other.claim('k2', data('x'), 'w');
        await claim('k3', data('y'), 'w');
        return writes(() => source(data('x'), ['c1']));
      },
    ],
    'handlers: data that moves, or is written unchanged, touches no claim - only the work of those bound':
      [
        [[], []],
        async ({ claim, source, data }) => {
          await source(data('x'), ['c1']);
          await claim('k', data('x'), 'w');
          return [
            await writes(() => source(data('x'), ['c2'])),
            await writes(() => source(data('x'), ['c2'])),
          ];
        },
      ],
    'handlers: a source that is deleted touches the claims that are bound to it': [
      ['k'],
      async ({ claim, source, noSource, data }) => {
        await source(data('x'), ['c1']);
        await source(data('y'), ['c1']);
        await claim('k', data('x'), 'w');
        await claim('other', data('y'), 'w');
        return writes(() => noSource(data('x')));
      },
    ],
  };

  for (const [name, [expected, run]] of Object.entries(CASES)) {
    it(name, async () => assert.deepEqual(await run(await world()), expected));
  }
});
