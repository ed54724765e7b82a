import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

/** Which versions of the API there are, who serves them, and which of them clients are to prefer. */
export interface ApiServiceFields {
  readonly spec?: {
    readonly group?: string;
    readonly version?: string;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
    readonly service?: object;
  };
}

export const ApiService: ResourceKind<
  KubeObject & ApiServiceFields,
  WrittenObject & ApiServiceFields
> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  scope: 'Cluster',
};

/** By this label, those that the server keeps itself are known. */
export const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** The entry for a version that the server serves itself. */
export const localApiService = (
  { group, version }: { readonly group: string; readonly version: string },
  priorities: { readonly groupPriorityMinimum: number; readonly versionPriority: number },
  automanaged: 'onstart' | 'true',
): WrittenObject & ApiServiceFields => ({
  metadata: { name: `${version}.${group}`, labels: { [AUTOMANAGED]: automanaged } },
  spec: { ...(group === '' ? {} : { group }), version, ...priorities },
});
