import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { countRoom } from '@perigee/scheduling/clusters/room/count-room';
import { nodeRooms } from '@perigee/scheduling/clusters/room/node-room';
import { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { nodeFacts } from '@perigee/scheduling/clusters/status/node-facts';
import { newPodShapes, podUsage } from '@perigee/scheduling/clusters/status/pod-usage';
import {
  type ClusterFacts,
  clusterFacts,
} from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { readClusterRoom } from '@perigee/scheduling/placement/scheduler/read-room';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import type { RoomOrder, RoomResult } from './room-protocol.ts';
import { bindingObject, clusterObject } from './scheduler-objects.ts';

const ROUNDS = 5;
const DECISIONS = 1_000;
const random = seededRandom(1);
const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

/** Cores, memory in Gi, devices. */
const SIZES = [
  [16, 64, 0],
  [32, 128, 0],
  [64, 256, 0],
  [64, 512, 8],
] as const;
const CPUS = ['100m', '250m', '500m', '1', '2', '3500m'];
const MEMORIES = ['128Mi', '256Mi', '512Mi', '1Gi', '2Gi', '3Gi', '5000Mi', '7777777777'];

const aNode = (name: string) => {
  const [cores, memory, devices] = oneOf(SIZES);
  const labels = {
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/zone': oneOf(['a', 'b', 'c']),
    'node.kubernetes.io/instance-type': `m${cores}-${devices}`,
  };
  const allocatable = {
    cpu: String(cores),
    memory: `${memory}Gi`,
    pods: '110',
    ...(devices === 0 ? {} : { 'nvidia.com/gpu': String(devices) }),
  };
  const conditions = [{ type: 'Ready', status: 'True' }];
  return { metadata: { name, labels }, status: { allocatable, conditions } };
};

const shapes = newPodShapes();
const aPod = (nodeName: string) => {
  const requests = { cpu: oneOf(CPUS), memory: oneOf(MEMORIES) };
  return podUsage({ spec: { nodeName, containers: [{ resources: { requests } }] } }, shapes);
};

const fill = (nodes: number, pods: number): ClusterUsage => {
  const usage = new ClusterUsage();
  for (let at = 0; at < nodes; at += 1)
    usage.setNode(`n${at}`, nodeFacts(aNode(`n${at}`) as never));
  for (let at = 0; at < pods; at += 1) {
    usage.setPod(`p${at}`, aPod(`n${Math.floor(random() * nodes)}`));
  }
  return usage;
};

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const measurePublish = ({ nodes, pods }: RoomOrder) => {
  const usage = fill(nodes, pods);
  const publish = () => JSON.stringify(countRoom(nodeRooms(usage)));
  publish();
  const publishMs = Array.from({ length: ROUNDS }, () => cpuMs(publish));
  const free = nodeRooms(usage).reduce((sum, node) => sum + (node.free.get('cpu') ?? 0), 0);
  const { roundedOff = {} } = countRoom(nodeRooms(usage));
  const untold = Number(String(roundedOff.cpu ?? '0').replace(/m$/, ''));
  const changes = 100_000;
  const changeMs = cpuMs(() => {
    for (let at = 0; at < changes; at += 1) {
      usage.setPod(`p${at % pods}`, aPod(`n${Math.floor(random() * nodes)}`));
    }
  });
  return {
    publishMs,
    bytes: publish().length,
    toldPercent: 100 - (100 * untold) / free,
    podsPerSecond: (changes / changeMs) * 1000,
  };
};

const decide = (worlds: readonly (readonly ClusterFacts[])[]): number => {
  const ms = cpuMs(() => {
    for (let at = 0; at < DECISIONS; at += 1) {
      const clusters = worlds[at % worlds.length] ?? [];
      schedule(bindingObject(at).spec as never, {}, { clusters, rules: standardRules });
    }
  });
  return (DECISIONS / ms) * 1000;
};

/** Clusters of 50 nodes and 1,000 pods each. */
const measureDecisions = ({ clusters }: RoomOrder) => {
  const graded = Array.from({ length: clusters }, (_, at) =>
    clusterFacts(clusterObject(at, true) as never),
  );
  const rooms = graded.map(() => {
    const spec = { countedAt: '2026-01-01T00:00:00Z', ...countRoom(nodeRooms(fill(50, 1_000))) };
    return { spec } as never;
  });
  const factsAt = (at: number): ClusterFacts => {
    const { space } = readClusterRoom(rooms[at] as never);
    return { ...(graded[at] as ClusterFacts), ...(space && { space }) };
  };
  const still = graded.map((_, at) => factsAt(at));
  /** Worlds of which each has one cluster that told anew what it has. */
  const changing = (): readonly (readonly ClusterFacts[])[] => {
    let world: readonly ClusterFacts[] = still;
    return Array.from({ length: DECISIONS }, (_, at) => {
      world = world.with(at % clusters, factsAt(at % clusters));
      return world;
    });
  };
  const byNodes: number[] = [];
  const byChangedNodes: number[] = [];
  const byGrades: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    byGrades.push(decide([graded]));
    byNodes.push(decide([still]));
    byChangedNodes.push(decide(changing()));
  }
  return { byNodes, byChangedNodes, byGrades };
};

process.on('message', (order: RoomOrder) => {
  const result: RoomResult = { ...measurePublish(order), ...measureDecisions(order) };
  process.send?.(result);
});
