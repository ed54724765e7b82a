import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

/** Versions of the API, the servers behind them, and the version that clients should prefer. */
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
