import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { Node } from '@perigee/kubernetes/core/node';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { NodeTable } from '@perigee/member/scheduler/node-table';
import { Placement } from '@perigee/member/scheduler/placement';
import { demandOf } from '@perigee/member/scheduler/pod-demand';
import { countRoom } from '@perigee/scheduling/clusters/room/count-room';
import { nodeRooms } from '@perigee/scheduling/clusters/room/node-room';
import { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { nodeFacts } from '@perigee/scheduling/clusters/status/node-facts';
import { podUsage } from '@perigee/scheduling/clusters/status/pod-usage';
import {
  type ClusterFacts,
  clusterFacts,
} from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { readClusterRoom } from '@perigee/scheduling/placement/scheduler/read-room';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { feasible } from '@perigee/scheduling/queues/feasible';
import { PromisedRoom } from '@perigee/scheduling/queues/promised-room';
import type { Feasibility } from '@perigee/scheduling/queues/work-item';
import { podsOfWork } from '@perigee/scheduling/queues/work-pods';
import fc from 'fast-check';

/** A member: its nodes, and what runs on them. */
interface Fleet {
  readonly [cluster: string]: readonly { readonly node: Node; readonly pods: readonly Pod[] }[];
}

const podOf = (name: string, cpu: number, memory: number, fields: object = {}): Pod =>
  ({
    metadata: { name, uid: name, namespace: 'default' },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: { requests: { cpu: `${cpu}m`, memory: `${memory}Mi` } },
        },
      ],
      ...fields,
    },
    status: { phase: 'Running' },
  }) as unknown as Pod;

const nodeOf = (name: string, cpu: number, memory: number, pods: number, zone: string): Node =>
  ({
    metadata: { name, labels: { zone } },
    spec: {},
    status: {
      allocatable: { cpu: `${cpu}m`, memory: `${memory}Mi`, pods: String(pods) },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }) as unknown as Node;

const factsOf = (fleet: Fleet): readonly ClusterFacts[] =>
  Object.entries(fleet).map(([name, nodes]) => {
    const usage = new ClusterUsage();
    for (const { node, pods } of nodes) {
      usage.setNode(node.metadata.name, nodeFacts(node as never));
      for (const pod of pods) {
        const bound = { ...pod, spec: { ...pod.spec, nodeName: node.metadata.name } };
        usage.setPod(pod.metadata.name, podUsage(bound as never));
      }
    }
    const spec = { countedAt: '2026-01-01T00:00:00Z', ...countRoom(nodeRooms(usage)) };
    const apis = [{ groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] }];
    const plain = clusterFacts({
      metadata: { name },
      spec: { syncMode: 'Push' },
      status: { apiEnablements: apis },
    } as never);
    const { space } = readClusterRoom({ spec } as never);
    return { ...plain, ...(space && { space }) };
  });

/** The schedulers of the members, with all their nodes and pods. */
const membersOf = (fleet: Fleet): ReadonlyMap<string, Placement> =>
  new Map(
    Object.entries(fleet).map(([name, nodes]) => {
      const table = new NodeTable();
      for (const { node, pods } of nodes) {
        table.putNode(node);
        for (const pod of pods) table.place(pod.metadata.uid, node.metadata.name, demandOf(pod));
      }
      return [name, new Placement(table)];
    }),
  );

const emptied = (fleet: Fleet): Fleet =>
  Object.fromEntries(
    Object.entries(fleet).map(([name, nodes]) => [
      name,
      nodes.map(({ node }) => ({ node, pods: [] })),
    ]),
  );

interface TestPart {
  readonly replicas: number;
  readonly cpu: number;
  readonly memory: number;
  readonly zone?: string;
}

interface TestWork {
  readonly parts: readonly TestPart[];
  readonly placement: object;
}

const requirementsOf = ({ cpu, memory, zone }: TestPart) => ({
  resourceRequest: { cpu: `${cpu}m`, memory: `${memory}Mi` },
  ...(zone === undefined ? {} : { nodeClaim: { nodeSelector: { zone } } }),
});

const specOf = ({ parts, placement }: TestWork): BindingSpec => {
  const [first, ...others] = parts as [TestPart, ...TestPart[]];
  const resource = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'work' };
  const counted =
    others.length === 0
      ? { replicas: first.replicas, replicaRequirements: requirementsOf(first) }
      : {
          components: parts.map((part, at) => ({
            name: `p${at}`,
            replicas: part.replicas,
            replicaRequirements: requirementsOf(part),
          })),
        };
  return { resource, placement, ...counted } as unknown as BindingSpec;
};

/** True if the schedulers of the members find a node for every pod. */
const runs = (
  members: ReadonlyMap<string, Placement>,
  work: TestWork,
  clusters: { readonly [cluster: string]: number },
  name = 'work',
): boolean =>
  Object.entries(clusters).every(([cluster, replicas]) =>
    work.parts.every((part, at) => {
      const count = work.parts.length === 1 ? replicas : part.replicas;
      return Array.from({ length: count }, (_, index) => {
        const zone = part.zone === undefined ? {} : { nodeSelector: { zone: part.zone } };
        const pod = podOf(`${name}-${cluster}-${at}-${index}`, part.cpu, part.memory, zone);
        return members.get(cluster)?.place(pod).kind === 'found';
      }).every(Boolean);
    }),
  );

const feasibleIn = (
  fleet: readonly ClusterFacts[],
  work: TestWork,
  promised = new PromisedRoom(),
): Feasibility =>
  feasible({ spec: specOf(work), status: {} }, { clusters: fleet, rules: standardRules }, promised);

const aFleet: fc.Arbitrary<Fleet> = fc
  .array(
    fc.array(
      fc.record({
        cpu: fc.integer({ min: 2000, max: 16_000 }),
        memory: fc.integer({ min: 2048, max: 16_384 }),
        pods: fc.integer({ min: 3, max: 20 }),
        zone: fc.constantFrom('a', 'b'),
        taken: fc.array(
          fc.tuple(fc.integer({ min: 0, max: 1500 }), fc.integer({ min: 0, max: 1500 })),
          {
            maxLength: 4,
          },
        ),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((clusters) =>
    Object.fromEntries(
      clusters.map((nodes, at) => [
        `c${at}`,
        nodes.map(({ cpu, memory, pods, zone, taken }, index) => ({
          node: nodeOf(`c${at}-n${index}`, cpu, memory, pods, zone),
          pods: taken.map(([one, other], number) => podOf(`c${at}-${index}-${number}`, one, other)),
        })),
      ]),
    ),
  );

const DIVIDED = { replicaSchedulingType: 'Divided' };
const ONE = [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }];

const aPlacement = fc.constantFrom<object>(
  {},
  { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
  { replicaScheduling: { ...DIVIDED, replicaDivisionPreference: 'Aggregated' } },
  {
    replicaScheduling: {
      ...DIVIDED,
      replicaDivisionPreference: 'Weighted',
      weightPreference: { dynamicWeight: 'AvailableReplicas' },
    },
  },
  { replicaScheduling: { ...DIVIDED, replicaDivisionPreference: 'Weighted' } },
  {
    replicaScheduling: { ...DIVIDED, replicaDivisionPreference: 'Aggregated' },
    spreadConstraints: ONE,
  },
  { clusterAffinity: { clusterNames: ['c0', 'c1'] }, spreadConstraints: ONE },
  { clusterAffinity: { clusterNames: ['nowhere'] } },
);

const aPart: fc.Arbitrary<TestPart> = fc.record(
  {
    replicas: fc.integer({ min: 1, max: 8 }),
    cpu: fc.integer({ min: 50, max: 2500 }),
    memory: fc.integer({ min: 50, max: 2500 }),
    zone: fc.constantFrom('a', 'a', 'b', 'c'),
  },
  { requiredKeys: ['replicas', 'cpu', 'memory'] },
);

const work = (parts: fc.Arbitrary<readonly TestPart[]>): fc.Arbitrary<TestWork> =>
  fc.record({ parts, placement: aPlacement });

const aWork = work(fc.tuple(aPart));
const aSet = work(fc.array(aPart, { minLength: 2, maxLength: 3 }));

describe('whether work fits', () => {
  /** True if the scheduler places work where it was found to fit, and whether the members then run it. */
  const isRun = (fleet: Fleet, one: TestWork): boolean | undefined => {
    const facts = factsOf(fleet);
    const answer = feasibleIn(facts, one);
    if (answer.kind !== 'fits') return undefined;
    const { outcome } = schedule(specOf(one), {}, { clusters: facts, rules: standardRules });
    assert.equal(outcome.kind, 'placed');
    assert.deepEqual(
      outcome.kind === 'placed' &&
        Object.fromEntries(outcome.clusters.map(({ name, replicas = 0 }) => [name, replicas])),
      answer.clusters,
    );
    return runs(membersOf(fleet), one, answer.clusters);
  };

  it('is true: the scheduler places it there, and the members run it', (t) => {
    let fitting = 0;
    const property = fc.property(aFleet, aWork, (fleet, one) => {
      const isRunning = isRun(fleet, one);
      if (isRunning !== undefined) fitting += 1;
      assert.notEqual(isRunning, false);
    });
    fc.assert(property, { numRuns: 500, endOnFailure: true });
    t.diagnostic(`${fitting} of 500 fit`);
    assert.ok(fitting > 50);
  });

  it('is nearly always true of work of several kinds of pods, which members may place in another order', (t) => {
    const seen = { running: 0, stuck: 0 };
    const property = fc.property(aFleet, aSet, (fleet, one) => {
      const isRunning = isRun(fleet, one);
      if (isRunning !== undefined) seen[isRunning ? 'running' : 'stuck'] += 1;
    });
    fc.assert(property, { numRuns: 500, endOnFailure: true });
    t.diagnostic(JSON.stringify(seen));
    assert.ok(seen.stuck * 20 < seen.running);
  });

  it('is never denied for good to what an empty fleet could run', (t) => {
    const seen = { never: 0, 'not-now': 0, fits: 0 };
    const property = fc.property(aFleet, fc.oneof(aWork, aSet), (fleet, one) => {
      const answer = feasibleIn(factsOf(fleet), one);
      seen[answer.kind] += 1;
      const empty = feasibleIn(factsOf(emptied(fleet)), one);
      if (answer.kind === 'never') assert.notEqual(empty.kind, 'fits');
      if (answer.kind === 'not-now') assert.ok(answer.clusters.length > 0);
      if (answer.kind !== 'never') assert.equal(empty.kind, 'fits');
    });
    fc.assert(property, { numRuns: 500, endOnFailure: true });
    t.diagnostic(JSON.stringify(seen));
    assert.ok(seen.never > 5 && seen['not-now'] > 5);
  });

  it('counts what was promised before: work that is released in one moment does not get the same room', (t) => {
    const released = { promised: 0, forgotten: 0 };
    const stuck = { promised: 0, forgotten: 0 };
    const release = (fleet: Fleet, works: readonly TestWork[], keeps: keyof typeof released) => {
      const facts = factsOf(fleet);
      const promised = new PromisedRoom();
      const members = membersOf(fleet);
      for (const [index, one] of works.entries()) {
        const answer = feasibleIn(facts, one, promised);
        if (answer.kind !== 'fits') continue;
        released[keeps] += 1;
        if (!runs(members, one, answer.clusters, `w${index}`)) stuck[keeps] += 1;
        if (keeps === 'forgotten') continue;
        for (const [cluster, replicas] of Object.entries(answer.clusters)) {
          promised.promise(cluster, `w${index}`, podsOfWork(specOf(one), replicas));
        }
      }
    };
    const many = fc.array(aWork, { minLength: 2, maxLength: 12 });
    const property = fc.property(aFleet, many, (fleet, works) => {
      release(fleet, works, 'promised');
      release(fleet, works, 'forgotten');
    });
    fc.assert(property, { numRuns: 300, endOnFailure: true });
    t.diagnostic(JSON.stringify({ released, stuck }));
    // Nodes of different sizes may be filled in another order than was thought.
    assert.ok(stuck.promised * 50 <= released.promised);
    assert.ok(stuck.forgotten * 10 > released.forgotten);
  });
});
