import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { readClusterRoom } from '@perigee/scheduling/placement/scheduler/read-room';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { feasible } from '@perigee/scheduling/queues/feasible';
import { PromisedRoom } from '@perigee/scheduling/queues/promised-room';
import { podsOfWork } from '@perigee/scheduling/queues/work-pods';

const RESOURCES = ['cpu', 'nvidia.com/gpu', 'pods'];
type Alike = readonly [nodes: number, cpu: string, gpus: string, pods: string];

const written = (alike: readonly Alike[]) =>
  alike.map(([nodes, ...each]) => ({ nodes, each: [...each] }));

const plain = (name: string, fields: object = {}): ClusterFacts =>
  clusterFacts({
    metadata: { name },
    spec: { syncMode: 'Push' },
    status: {
      apiEnablements: [{ groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] }],
    },
    ...fields,
  } as never);

/** A cluster of which nodes have so much left, of so much. */
const cluster = (name: string, free: readonly Alike[], whole = free): ClusterFacts => {
  const pools = [{ free: written(free), whole: written(whole) }];
  const spec = { countedAt: '2026-01-01T00:00:00Z', nodes: 1, resources: RESOURCES, pools };
  const { space } = readClusterRoom({ spec } as never);
  return { ...plain(name), ...(space && { space }) };
};

const TAINTS = [{ key: 'broken', effect: 'NoSchedule' as const }];

const AGGREGATED = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Aggregated',
  },
};

const job = (replicas: number, resourceRequest: object, fields: object = {}): BindingSpec =>
  ({
    resource: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'work' },
    placement: AGGREGATED,
    replicas,
    replicaRequirements: { resourceRequest },
    ...fields,
  }) as unknown as BindingSpec;

const ask = (spec: BindingSpec, clusters: readonly ClusterFacts[], promised = new PromisedRoom()) =>
  feasible({ spec, status: {} }, { clusters, rules: standardRules }, promised);

const one = (nodes: number, cpu: string, gpus = '0', pods = '10'): readonly Alike[] => [
  [nodes, cpu, gpus, pods],
];

describe('whether work fits', () => {
  it('is asked of single nodes, and not of their sum', () => {
    const small = cluster('small', one(8, '1'));
    const large = cluster('large', one(1, '4'));
    const answer = ask(job(2, { cpu: '2' }), [small, large]);
    assert.deepEqual(answer, { kind: 'fits', clusters: { large: 2 } });
  });

  it('tells which resource is missing, how much of it, and in which clusters', () => {
    const busy = cluster('busy', one(2, '8', '1'), one(2, '8', '4'));
    const answer = ask(job(6, { cpu: '1', 'nvidia.com/gpu': '1' }), [busy]);
    assert.deepEqual(answer, {
      kind: 'not-now',
      missing: new Map([['nvidia.com/gpu', 4]]),
      clusters: ['busy'],
      shortages: [{ cluster: 'busy', asked: 6, fits: 2, resource: 'nvidia.com/gpu', missing: 4 }],
    });
  });

  it('tells at once that work can never fit, and why', () => {
    const busy = cluster('busy', one(2, '1', '1'), one(2, '8', '2'));
    const tiny = cluster('tiny', one(1, '1'));
    const answer = ask(job(6, { cpu: '1', 'nvidia.com/gpu': '1' }), [busy, tiny]);
    assert.deepEqual(answer, {
      kind: 'never',
      why:
        'it would not fit if nothing else ran: busy has room for 4 of 6, 2 nvidia.com/gpu short; ' +
        'tiny has room for 0 of 6, 6 nvidia.com/gpu short',
    });
    const placement = { ...AGGREGATED, clusterAffinity: { clusterNames: ['typo'] } };
    const nowhere = ask(job(1, { cpu: '1' }, { placement }), [busy]);
    assert.equal(nowhere.kind, 'never');
  });

  it('asks every cluster of work that each gets all of', () => {
    const placement = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } };
    const spec = job(3, { cpu: '1' }, { placement });
    const full = cluster('full', one(1, '2'), one(1, '8'));
    const free = cluster('free', one(1, '8'));
    assert.deepEqual(ask(spec, [free]), { kind: 'fits', clusters: { free: 3 } });
    const answer = ask(spec, [free, full]);
    assert.equal(answer.kind, 'not-now');
    assert.deepEqual(answer.kind === 'not-now' && answer.shortages, [
      { cluster: 'full', asked: 3, fits: 2, resource: 'cpu', missing: 1000 },
    ]);
  });

  it('wants room for all parts of work in one cluster', () => {
    const part = (name: string, replicas: number, cpu: string) => ({
      name,
      replicas,
      replicaRequirements: { resourceRequest: { cpu } },
    });
    const spec = job(
      0,
      {},
      {
        replicas: 0,
        replicaRequirements: undefined,
        components: [part('master', 1, '2'), part('worker', 3, '2')],
        placement: {
          ...AGGREGATED,
          spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }],
        },
      },
    );
    const [a, b] = [cluster('a', one(3, '2'), one(4, '2')), cluster('b', one(3, '2'))];
    assert.equal(ask(spec, [a, b]).kind, 'not-now', 'six nodes in all, and three in each');
    assert.equal(ask(spec, [b]).kind, 'never');
    const c = cluster('c', one(4, '2'));
    assert.deepEqual(ask(spec, [a, c]), { kind: 'fits', clusters: { c: 0 } });
  });

  it('does not give away what was promised, until that is forgotten', () => {
    const only = cluster('only', one(2, '4'));
    const spec = job(5, { cpu: '1' });
    const promised = new PromisedRoom();
    promised.promise('only', 'other', podsOfWork(spec, 5));
    const answer = ask(spec, [only], promised);
    assert.deepEqual(answer.kind === 'not-now' && answer.missing, new Map([['cpu', 2000]]));
    assert.deepEqual(ask(job(3, { cpu: '1' }), [only], promised).kind, 'fits');
    promised.forget('only', 'other');
    assert.equal(ask(spec, [only], promised).kind, 'fits');
  });

  it('never says never because of a taint, nor of a cluster that has not reported', () => {
    const spec = job(4, { cpu: '1' });
    const [small, large] = [cluster('small', one(1, '1')), cluster('large', one(1, '8'))];
    assert.equal(ask(spec, [small]).kind, 'never');
    assert.equal(ask(spec, [small, { ...large, taints: TAINTS }]).kind, 'not-now');
    assert.equal(ask(spec, [small, plain('new')]).kind, 'not-now');
  });

  it('goes by sums where nodes are not counted', () => {
    const summary = (free: number) =>
      plain('sums', {
        status: {
          apiEnablements: [
            { groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] },
          ],
          resourceSummary: {
            allocatable: { cpu: '10', pods: '100' },
            allocated: { cpu: String(10 - free), pods: '5' },
          },
        },
      });
    const spec = job(8, { cpu: '1' });
    assert.equal(ask(spec, [summary(8)]).kind, 'fits');
    assert.equal(ask(spec, [summary(7)]).kind, 'not-now');
    assert.equal(ask(job(11, { cpu: '1' }), [summary(10)]).kind, 'never');
    const promised = new PromisedRoom();
    promised.promise('sums', 'other', podsOfWork(spec, 3));
    assert.equal(ask(spec, [summary(10)], promised).kind, 'not-now');
  });
});
