import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
  readonly appProtocol?: string;
}

interface ServiceParts {
  readonly spec?: {
    readonly selector?: { readonly [label: string]: string };
    readonly ports?: readonly ServicePort[];
    readonly clusterIP?: string;
    readonly type?: string;
    readonly publishNotReadyAddresses?: boolean;
  };
}

export type Service = KubeObject & ServiceParts;

export const Service: ResourceKind<Service, WrittenObject & ServiceParts> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  scope: 'Namespaced',
};
