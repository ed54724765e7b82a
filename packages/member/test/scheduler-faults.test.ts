import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { Pod, PodBinding, type PodSpec } from '@perigee/kubernetes/core/pod';
import { podCondition } from '../src/pods/pod-state.ts';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const namespace = 'default';

const create = (
  { client }: TestCluster,
  name: string,
  spec: Partial<PodSpec> = {},
  annotations: { readonly [key: string]: string } = {},
): Promise<Pod> =>
  client.create(Pod, {
    metadata: { namespace, name, annotations },
    spec: { ...template('x').spec, ...spec },
  });

const asking = (cpu: string): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'i', resources: { requests: { cpu } } }],
});

const nodeOf = async ({ client }: TestCluster, name: string): Promise<string | undefined> =>
  (await client.get(Pod, { namespace, name })).spec.nodeName;

const whyNot = async ({ client }: TestCluster, name: string): Promise<string | undefined> =>
  podCondition(await client.get(Pod, { namespace, name }), 'PodScheduled')?.message;

/** A client whose first bindings are answered by the server with errors. */
const failingToBind = (codes: number[]) => (client: Client) =>
  new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'create') return value.bind(target);
      return async (kind: unknown, ...rest: unknown[]): Promise<unknown> => {
        const code = kind === PodBinding ? codes.shift() : undefined;
        if (code === undefined) return Reflect.apply(value, target, [kind, ...rest]);
        throw new ApiError({ code, reason: code === 409 ? 'Conflict' : 'Busy', message: 'no' });
      };
    },
  });

describe('the scheduler', () => {
  it('tries again when a binding fails, and does not lose the room', async () => {
    await using cluster = await startCluster({
      nodes: [{ count: 1, cpu: 4 }],
      wrapClient: failingToBind([503, 500, 503]),
    });
    await create(cluster, 'first', asking('4'));
    await cluster.until(async () => (await nodeOf(cluster, 'first')) !== undefined, 60);
    await cluster.client.delete(Pod, { namespace, name: 'first' });
    await create(cluster, 'second', asking('4'));
    await cluster.until(async () => (await nodeOf(cluster, 'second')) !== undefined, 60);
  });

  it('gives the room of a pod that goes while it is bound to the next', async () => {
    const gone: string[] = [];
    await using cluster = await startCluster({
      nodes: [{ count: 1, cpu: 4 }],
      wrapClient: (client) =>
        new Proxy(client, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            if (name !== 'create') return value.bind(target);
            return async (...args: unknown[]): Promise<unknown> => {
              const [kind, object] = args as [unknown, { readonly metadata: { name: string } }];
              const { name: pod = '' } = kind === PodBinding ? object.metadata : { name: '' };
              if (pod === 'hasty') {
                gone.push(pod);
                await client.delete(Pod, { namespace, name: pod }, { gracePeriodSeconds: 0 });
              }
              return Reflect.apply(value, target, args);
            };
          },
        }),
    });
    await create(cluster, 'hasty', asking('4'));
    await cluster.clock.advance(2000);
    await create(cluster, 'next', asking('4'));
    await cluster.until(async () => (await nodeOf(cluster, 'next')) !== undefined, 60);
    assert.deepEqual(gone, ['hasty']);
    assert.deepEqual(cluster.problems, []);
  });

  it('says that a pod waits to be put into a group, and for how long it has', async () => {
    await using cluster = await startCluster({ groupedSchedulers: ['volcano'] });
    await create(cluster, 'alone', { schedulerName: 'volcano' });
    await cluster.clock.advance(4000);
    assert.equal(await whyNot(cluster, 'alone'), undefined);
    await cluster.clock.advance(2000);
    assert.match(
      (await whyNot(cluster, 'alone')) ?? '',
      /^waits to be put into a pod group, as all pods of the scheduler "volcano"$/,
    );
    assert.equal(await nodeOf(cluster, 'alone'), undefined);
  });

  it('says which group there is not', async () => {
    await using cluster = await startCluster();
    await create(cluster, 'lost', {}, { 'scheduling.k8s.io/group-name': 'nowhere' });
    await cluster.clock.advance(3000);
    assert.match((await whyNot(cluster, 'lost')) ?? '', /^pod group "nowhere" not found$/);
  });
});
