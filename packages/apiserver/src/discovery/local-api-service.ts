import type { ApiServiceWritten } from '@perigee/kubernetes/apiregistration/api-service';
import { present, unlessEmpty } from '@perigee/schema/present';

/** Label of the APIServices that the server maintains itself. */
export const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** The entry for a version that the server serves itself. */
export const localApiService = (
  { group, version }: { readonly group: string; readonly version: string },
  priorities: { readonly groupPriorityMinimum: number; readonly versionPriority: number },
  automanaged: 'onstart' | 'true',
): ApiServiceWritten => ({
  metadata: { name: `${version}.${group}`, labels: { [AUTOMANAGED]: automanaged } },
  spec: { ...present({ group: unlessEmpty(group) }), version, ...priorities },
});
