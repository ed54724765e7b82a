import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { SituationWorld } from './situation-world.ts';

/** Differences of a Deployment from the plainest one. */
export interface DeploymentChanges {
  readonly replicas?: number;
  readonly cpu?: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [annotation: string]: string };
  /** Annotations of the pods, which say what they do in a virtual member. */
  readonly pods?: { readonly [annotation: string]: string };
  /** Fields of the pod spec. */
  readonly spec?: object;
  /** Fields of the container. */
  readonly container?: object;
  readonly finalizers?: readonly string[];
}

export const addDeployment = (
  world: SituationWorld,
  changes: DeploymentChanges = {},
  name = 'web',
): Promise<void> => {
  const { replicas = 2, cpu, labels, annotations, pods, spec, container, finalizers } = changes;
  const app = { app: name };
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  return world.create(Deployment, name, {
    metadata: {
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
    },
    spec: {
      replicas,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app, ...(pods && { annotations: pods }) },
        spec: {
          containers: [{ name: 'main', image: 'app:1', ...resources, ...container }],
          ...spec,
        },
      },
    },
  });
};

const SELECTORS = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }];

/** A policy for the Deployment `web`. */
export const addPolicy = (
  world: SituationWorld,
  placement: object = {},
  more: object = {},
  name = 'web',
): Promise<void> =>
  world.create(PropagationPolicy, name, {
    spec: { resourceSelectors: SELECTORS, placement, ...more },
  });

export const addClusterPolicy = (
  world: SituationWorld,
  name: string,
  spec: object,
): Promise<void> => world.create(ClusterPropagationPolicy, name, { spec });

/** Changes the policy `web`. */
export const changePolicy = (world: SituationWorld, spec: object): Promise<void> =>
  world.patch(PropagationPolicy, 'web', { spec });

/** Only these clusters. */
export const on = (...clusterNames: readonly string[]) => ({ clusterAffinity: { clusterNames } });

/** Replicas divided by the room that clusters have. */
export const BY_ROOM = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
} as const;
