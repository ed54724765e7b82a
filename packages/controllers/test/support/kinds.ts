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
