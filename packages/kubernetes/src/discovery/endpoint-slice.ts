import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { ObjectReference } from '../core/event.ts';

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: {
    readonly ready: boolean;
    readonly serving: boolean;
    readonly terminating: boolean;
  };
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef: ObjectReference;
}

export interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

interface EndpointSliceFields {
  readonly addressType: 'IPv4';
  readonly endpoints: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

export type EndpointSlice = KubeObject & EndpointSliceFields;
export type EndpointSliceWritten = WrittenObject & EndpointSliceFields;

export const EndpointSlice: ResourceKind<EndpointSlice, EndpointSliceWritten> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  scope: 'Namespaced',
};
