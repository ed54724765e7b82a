import type { NodeCondition, NodeWritten } from '@perigee/kubernetes/core/node';
import { present, unlessEmpty } from '@perigee/schema/present';
import { capacityOf, type NodeShape } from './node-shape.ts';

/** Annotation of simulated nodes. */
export const VIRTUAL = 'member.perigee.io/virtual';

const FINE: readonly Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
  {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready status',
  },
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  {
    type: 'NetworkUnavailable',
    status: 'False',
    reason: 'RouteCreated',
    message: 'RouteController created a route',
  },
];

/** A unique address for each of a million nodes, outside of the range of pods. */
const addressOf = (ordinal: number): string =>
  `172.${16 + ((ordinal >> 16) & 15)}.${(ordinal >> 8) & 255}.${ordinal & 255}`;

export interface NodeIdentity {
  readonly name: string;
  /** Its ordinal in the member, from 1. */
  readonly ordinal: number;
}

/** A ready node, as its kubelet would report it. */
export const makeNode = (
  shape: NodeShape,
  { name, ordinal }: NodeIdentity,
  version: string,
  time: string,
): NodeWritten => {
  const capacity = capacityOf(shape);
  const { taints = [] } = shape;
  const id = String(ordinal).padStart(12, '0');
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...shape.labels,
      },
      annotations: { [VIRTUAL]: 'true' },
    },
    spec: {
      providerID: `perigee://${name}`,
      ...present({ taints: unlessEmpty(taints) }),
    },
    status: {
      capacity,
      allocatable: capacity,
      conditions: FINE.map((condition) => ({
        ...condition,
        lastHeartbeatTime: time,
        lastTransitionTime: time,
      })),
      addresses: [
        { type: 'InternalIP', address: addressOf(ordinal) },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        architecture: 'amd64',
        bootID: `00000000-0000-0000-0001-${id}`,
        containerRuntimeVersion: 'perigee://virtual',
        kernelVersion: 'virtual',
        kubeProxyVersion: version,
        kubeletVersion: version,
        machineID: `00000000-0000-0000-0002-${id}`,
        operatingSystem: 'linux',
        osImage: 'virtual',
        systemUUID: `00000000-0000-0000-0003-${id}`,
      },
    },
  };
};
