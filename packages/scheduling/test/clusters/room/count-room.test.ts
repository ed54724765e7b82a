import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeClaim } from '@perigee/api/kinds/placement/replica-requirements';
import {
  countRoom,
  ROOM_LIMITS,
  type RoomLimits,
} from '@perigee/scheduling/clusters/room/count-room';
import { readNodeClaim } from '@perigee/scheduling/clusters/room/node-claim';
import { nodeRooms } from '@perigee/scheduling/clusters/room/node-room';
import { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { nodeFacts } from '@perigee/scheduling/clusters/status/node-facts';
import { podUsage } from '@perigee/scheduling/clusters/status/pod-usage';
import { podShapeOf } from '@perigee/scheduling/placement/scheduler/estimate/pod-shape';
import { readClusterRoom } from '@perigee/scheduling/placement/scheduler/read-room';
import fc from 'fast-check';
import type { ClusterSpace } from '../../../src/placement/scheduler/estimate/exact-room.ts';

interface TestNode {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly taint: string;
  readonly isCordoned: boolean;
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
  readonly gpus: number;
  /** Requests of the pods on it: cpu in thousandths, memory in Mi. */
  readonly taken: readonly (readonly [number, number])[];
}

const HOSTNAME = 'kubernetes.io/hostname';

const usageOf = (nodes: readonly TestNode[]): ClusterUsage => {
  const usage = new ClusterUsage();
  for (const { name, labels, taint, isCordoned, cpu, memory, pods, gpus, taken } of nodes) {
    const taints = taint === '' ? [] : [{ key: 'for', value: taint, effect: 'NoSchedule' }];
    const gpu = gpus === 0 ? {} : { 'nvidia.com/gpu': String(gpus) };
    const node = {
      metadata: { name, labels: { ...labels, [HOSTNAME]: name } },
      spec: { taints, ...(isCordoned ? { unschedulable: true } : {}) },
      status: {
        allocatable: { cpu: `${cpu}m`, memory: `${memory}Mi`, pods: String(pods), ...gpu },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    };
    usage.setNode(name, nodeFacts(node as never));
    for (const [index, [takenCpu, takenMemory]] of taken.entries()) {
      const requests = { cpu: `${takenCpu}m`, memory: `${takenMemory}Mi` };
      const spec = { nodeName: name, containers: [{ resources: { requests } }] };
      usage.setPod(`${name}-${index}`, podUsage({ spec, status: { phase: 'Running' } }));
    }
  }
  return usage;
};

const spaceOf = (usage: ClusterUsage, limits: RoomLimits = ROOM_LIMITS): ClusterSpace => {
  const spec = { countedAt: '2026-01-01T00:00:00Z', ...countRoom(nodeRooms(usage), limits) };
  const { space } = readClusterRoom({ spec } as never);
  assert.ok(space !== undefined);
  return space;
};

const aNode = fc.record({
  zone: fc.constantFrom('a', 'b'),
  taint: fc.constantFrom('', '', '', 'gpu'),
  isCordoned: fc.constantFrom(false, false, false, true),
  cpu: fc.integer({ min: 0, max: 8000 }),
  memory: fc.integer({ min: 0, max: 8192 }),
  pods: fc.integer({ min: 0, max: 12 }),
  gpus: fc.constantFrom(0, 0, 2),
  taken: fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 3000 })), {
    maxLength: 5,
  }),
});

const someNodes = (max: number): fc.Arbitrary<readonly TestNode[]> =>
  fc
    .array(aNode, { maxLength: max })
    .map((nodes) =>
      nodes.map(({ zone, ...node }, at) => ({ ...node, name: `n${at}`, labels: { zone } })),
    );

const aClaim: fc.Arbitrary<NodeClaim> = fc.constantFrom<NodeClaim>(
  {},
  { nodeSelector: { zone: 'a' } },
  { nodeSelector: { nobody: 'has' } },
  { tolerations: [{ key: 'for', operator: 'Exists' }] },
  { tolerations: [{ operator: 'Exists' }] },
  {
    hardNodeAffinity: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] },
      ],
    },
  },
  {
    hardNodeAffinity: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: HOSTNAME, operator: 'In', values: ['n0'] }] },
      ],
    },
  },
);

const aRequest = fc.record({
  cpu: fc.integer({ min: 1, max: 4000 }),
  memory: fc.integer({ min: 0, max: 4096 }),
  gpus: fc.constantFrom(0, 0, 1),
});

const mayRun = ({ labels, name, taint, isCordoned }: TestNode, claim: NodeClaim): boolean => {
  const all = (claim.tolerations ?? []).some(({ key }) => key === undefined);
  const gpu = (claim.tolerations ?? []).length > 0;
  const [first] = claim.hardNodeAffinity?.nodeSelectorTerms[0]?.matchExpressions ?? [];
  return (
    (!isCordoned || all) &&
    (taint === '' || gpu) &&
    Object.entries(claim.nodeSelector ?? {}).every(([key, value]) => labels[key] === value) &&
    (first?.key !== 'zone' || labels.zone !== 'a') &&
    (first?.key !== HOSTNAME || name === 'n0')
  );
};

/** As karmada-scheduler-estimator counts: node by node. */
const counted = (
  nodes: readonly TestNode[],
  request: { cpu: number; memory: number; gpus: number },
  claim: NodeClaim,
  isEmpty = false,
): number =>
  nodes
    .filter((node) => mayRun(node, claim))
    .reduce((sum, { taken, ...node }) => {
      const used = isEmpty ? [] : taken;
      const left = (whole: number, at: 0 | 1) =>
        Math.max(0, whole - used.reduce((total, one) => total + one[at], 0));
      const fit = [
        Math.max(0, node.pods - used.length),
        Math.floor(left(node.cpu, 0) / request.cpu),
        ...(request.memory === 0 ? [] : [Math.floor(left(node.memory, 1) / request.memory)]),
        ...(request.gpus === 0 ? [] : [Math.floor(node.gpus / request.gpus)]),
      ];
      return sum + Math.min(...fit);
    }, 0);

const kindOf = (request: { cpu: number; memory: number; gpus: number }, claim: NodeClaim) => ({
  shape: podShapeOf({
    cpu: `${request.cpu}m`,
    memory: `${request.memory}Mi`,
    'nvidia.com/gpu': request.gpus,
  }),
  claim: readNodeClaim(claim),
});

describe('the room of a cluster', () => {
  it('is exact for a few nodes, whatever is asked of them', () => {
    const property = fc.property(someNodes(12), aRequest, aClaim, (nodes, request, claim) => {
      const { free, whole } = spaceOf(usageOf(nodes));
      const kind = kindOf(request, claim);
      assert.ok(free.covers(kind.claim));
      assert.equal(free.podsFor(kind), counted(nodes, request, claim));
      assert.equal(whole?.podsFor(kind), counted(nodes, request, claim, true));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('never tells of more than there is, nor of less than there would be without pods', () => {
    const limits = { pools: 4, labelBytes: 60, freeBytes: 400, wholeBytes: 300 };
    const property = fc.property(someNodes(40), aRequest, aClaim, (nodes, request, claim) => {
      const { free, whole } = spaceOf(usageOf(nodes), limits);
      const kind = kindOf(request, claim);
      if (!free.covers(kind.claim)) return;
      assert.ok(free.podsFor(kind) <= counted(nodes, request, claim));
      const most = whole?.podsFor(kind) ?? Number.POSITIVE_INFINITY;
      assert.ok(most >= counted(nodes, request, claim, true));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('says what it does not tell, and how much', () => {
    const nodes = Array.from(
      { length: 100 },
      (_, at): TestNode => ({
        name: `n${at}`,
        labels: { zone: at % 2 === 0 ? 'a' : 'b' },
        taint: '',
        isCordoned: false,
        cpu: 1000 * (at + 1),
        memory: 1024,
        pods: 10,
        gpus: 0,
        taken: [],
      }),
    );
    const room = countRoom(nodeRooms(usageOf(nodes)), { ...ROOM_LIMITS, freeBytes: 1_000 });
    assert.deepEqual(room.untoldLabels, [HOSTNAME]);
    assert.deepEqual(room.pools?.map(({ labels }) => labels?.zone).sort(), ['a', 'b']);
    const told = (room.pools ?? [])
      .flatMap(({ free = [] }) => free)
      .reduce((sum, { nodes: count, each }) => sum + count * Number(each[0]), 0);
    assert.equal(told + Number(room.roundedOff?.cpu), 5050);
    assert.ok(told > 4000, `${told} of 5050 cpus are told`);
  });

  it('stays small for a cluster of 5,000 nodes that are all different', () => {
    const nodes = Array.from(
      { length: 5_000 },
      (_, at): TestNode => ({
        name: `node-with-a-rather-long-name-${at}`,
        labels: { zone: `z${at % 3}`, type: `t${at % 7}`, 'example.com/rack': `rack-${at % 200}` },
        taint: '',
        isCordoned: false,
        cpu: 1 + at * 7,
        memory: 1 + ((at * 7919) % 65_536),
        pods: 1 + ((at * 31) % 110),
        gpus: 0,
        taken: [],
      }),
    );
    const room = countRoom(nodeRooms(usageOf(nodes)));
    assert.deepEqual(room.untoldLabels, ['example.com/rack', HOSTNAME]);
    const { length } = JSON.stringify(room);
    assert.ok(length < 49_152, `${length} bytes`);
  });

  it('tells of no node that is unlike too many others, and then cannot say what would never fit', () => {
    const nodes = Array.from(
      { length: 10 },
      (_, at): TestNode => ({
        name: `n${at}`,
        labels: {},
        taint: `team-${at}`,
        isCordoned: false,
        cpu: 1000,
        memory: 1024,
        pods: 10,
        gpus: 0,
        taken: [],
      }),
    );
    const limits = { ...ROOM_LIMITS, pools: 4 };
    assert.equal(countRoom(nodeRooms(usageOf(nodes)), limits).leftOut, 6);
    assert.equal(spaceOf(usageOf(nodes), limits).whole, undefined);
  });

  it('keeps room for pods that wait for a node and fit on one', () => {
    const node = { labels: {}, taint: '', isCordoned: false, memory: 8192, pods: 10, gpus: 0 };
    const nodes = ['a', 'b'].map((name) => ({ ...node, name, cpu: 4000, taken: [] }));
    const usage = usageOf(nodes);
    const wait = (name: string, cpu: string) => {
      const spec = { containers: [{ resources: { requests: { cpu } } }] };
      usage.setPod(name, podUsage({ spec, status: { phase: 'Pending' } }));
    };
    const kind = kindOf({ cpu: 1000, memory: 0, gpus: 0 }, {});
    wait('huge', '5');
    assert.equal(spaceOf(usage).free.podsFor(kind), 8, 'one that fits nowhere takes nothing');
    wait('large', '3');
    assert.equal(spaceOf(usage).free.podsFor(kind), 5);
  });

  it('leaves a claim that is as long as an object may be to the sums', () => {
    const { free } = spaceOf(usageOf([]));
    const values = Array.from({ length: 5_000 }, (_, at) => `v${at}`);
    const matchExpressions = [{ key: 'zone', operator: 'In' as const, values }];
    const claim = readNodeClaim({
      hardNodeAffinity: { nodeSelectorTerms: [{ matchExpressions }] },
    });
    assert.equal(free.covers(claim), false);
  });
});
