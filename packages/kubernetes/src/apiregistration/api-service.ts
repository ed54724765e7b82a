import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

/** Which versions of the API there are, who serves them, and which of them clients are to prefer. */
interface ApiServiceFields {
  readonly spec?: {
    readonly group?: string;
    readonly version?: string;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
    readonly service?: object;
  };
}

export type ApiService = KubeObject & ApiServiceFields;
export type ApiServiceWritten = WrittenObject & ApiServiceFields;

export const ApiService: ResourceKind<ApiService, ApiServiceWritten> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  scope: 'Cluster',
};
