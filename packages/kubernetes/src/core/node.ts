import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { WrittenResourceList } from '@perigee/api/values/resource-list';
import type { Taint } from './taint.ts';

export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
}

export interface NodeStatus {
  readonly capacity?: WrittenResourceList;
  readonly allocatable?: WrittenResourceList;
  readonly conditions?: readonly NodeCondition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly nodeInfo?: { readonly [name: string]: string };
  readonly phase?: string;
  readonly daemonEndpoints?: { readonly kubeletEndpoint: { readonly Port: number } };
}

interface NodeParts {
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export type Node = KubeObject & NodeParts;
export type NodeWritten = WrittenObject & NodeParts;

export const Node: ResourceKind<Node, NodeWritten> = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  scope: 'Cluster',
};

export const isNodeReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
