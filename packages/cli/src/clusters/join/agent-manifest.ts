import type { JsonObject } from '@perigee/schema/json';
import { accessNames, JOINED, memberObjects, memberRole } from './member-objects.ts';

export interface AgentManifest {
  readonly cluster: string;
  readonly joinedBy: string;
  readonly image: string;
  /** The kubeconfig for the control plane. */
  readonly kubeconfig: JsonObject;
}

const FOLDER = '/etc/perigee';

/** The objects that run an agent in a member, in the order of creation. */
export const agentManifest = ({
  cluster,
  joinedBy,
  image,
  kubeconfig,
}: AgentManifest): readonly JsonObject[] => {
  const { namespace, account } = accessNames(cluster);
  const labels = { 'app.kubernetes.io/part-of': 'perigee', [JOINED]: cluster };
  const selector = { 'app.kubernetes.io/name': 'perigee-agent' };
  const container: JsonObject = {
    name: 'agent',
    image,
    args: ['agent', '--cluster', cluster, '--kubeconfig', `${FOLDER}/kubeconfig`],
    resources: { requests: { cpu: '50m', memory: '128Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'control-plane', mountPath: FOLDER, readOnly: true }],
  };
  return [
    memberRole({ cluster, joinedBy }),
    ...memberObjects({ cluster, joinedBy }, undefined),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'control-plane', labels },
      stringData: { kubeconfig: JSON.stringify(kubeconfig) },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name: 'perigee-agent', labels },
      spec: {
        replicas: 1,
        // Two agents at once would overwrite each other's changes.
        strategy: { type: 'Recreate' },
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: { ...labels, ...selector } },
          spec: {
            serviceAccountName: account,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [container],
            volumes: [
              {
                name: 'control-plane',
                secret: { secretName: 'control-plane', defaultMode: 0o440 },
              },
            ],
          },
        },
      },
    },
  ];
};
