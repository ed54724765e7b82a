import type { JsonObject } from '@perigee/api/json';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

type Any = KubeObject & JsonObject;

const kind = (group: string, name: string, plural: string): ResourceKind<Any, WrittenObject> => ({
  group,
  version: 'v1',
  kind: name,
  plural,
  scope: 'Namespaced',
});

export const ConfigMap = kind('', 'ConfigMap', 'configmaps');
export const Deployment = kind('apps', 'Deployment', 'deployments');
export const Job = kind('batch', 'Job', 'jobs');
export const Pod = kind('', 'Pod', 'pods');

/** A Deployment as a user writes it: much is left to the server. */
export const deployment = (name: string, replicas = 2, namespace = 'default') => ({
  metadata: { namespace, name, labels: { app: name } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'nginx:1.27' }] },
    },
  },
});

export const boundTo = (apiVersion: string, kind: string, name: string, namespace = 'default') => ({
  apiVersion,
  kind,
  namespace,
  name,
});
