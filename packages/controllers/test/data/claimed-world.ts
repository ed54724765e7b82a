import { DataSource } from '@perigee/api/kinds/data/data-source';
import {
  DataSourceClaim,
  type DataSourceClaimSpec,
} from '@perigee/api/kinds/data/data-source-claim';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { dataPlacementController } from '@perigee/controllers/data/data-placement-controller';
import { dataSchedulerController } from '@perigee/controllers/data/data-scheduler-controller';
import { dataSourceController } from '@perigee/controllers/data/data-source-controller';
import { gateController } from '@perigee/controllers/gate/gate-controller';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';

const DIVIDED = {
  replicaSchedulingType: 'Divided',
  replicaDivisionPreference: 'Weighted',
  weightPreference: { dynamicWeight: 'AvailableReplicas' },
} as const;

/** All controllers that have a say about where claimed work goes. */
export const claimControllers = ({
  client,
  clock,
}: {
  readonly client: Client;
  readonly clock: Clock;
}) => [
  detectorController({ client, clock, interpreter: createInterpreter(nativeKinds) }),
  schedulerController(BINDING_KINDS[0]),
  dataSchedulerController(),
  dataSourceController(),
  dataPlacementController({ client, clock }),
  gateController(),
];

const template = (labels: { readonly [key: string]: string }) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'app:1' }] },
});

/** Actions on data, claims and work of a namespace, and assertions about them. */
export const claimedWorld = (client: Client, namespace: string) => {
  const here = (name: string) => ({ namespace, name });
  const merge = (body: object) => ({ type: 'merge', body }) as const;
  return {
    /** A policy for all Deployments and Jobs of the namespace. */
    policy: (placement: object = {}, more: object = {}) => {
      const spec = {
        resourceSelectors: [
          { apiVersion: 'apps/v1', kind: 'Deployment' },
          { apiVersion: 'batch/v1', kind: 'Job' },
        ],
        placement: { replicaScheduling: DIVIDED, ...placement },
        ...more,
      };
      return ensure(client, PropagationPolicy, { metadata: here('all'), spec } as never, {
        patch: {
          spec: {
            placement: { clusterAffinity: null, clusterAffinities: null, ...spec.placement },
            ...more,
          },
        },
      });
    },
    deployment: (name: string, replicas = 3, labels: { readonly [key: string]: string } = {}) =>
      client.create(Deployment, {
        metadata: { ...here(name), labels },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          template: template({ app: name }),
        },
      } as never),
    job: (name: string) =>
      client.create(Job, {
        metadata: here(name),
        spec: {
          parallelism: 2,
          template: { spec: { ...template({}).spec, restartPolicy: 'Never' } },
        },
      } as never),
    edit: (name: string, body: object) => client.patch(Deployment, here(name), merge(body)),
    source: (name: string, clusterNames: readonly string[], more: object = {}) =>
      ensure(
        client,
        DataSource,
        {
          metadata: { name },
          spec: { system: 'hive', type: 'table', name, locality: { clusterNames }, ...more },
        } as never,
        { patch: { spec: { locality: { clusterNames }, ...more } } },
      ),
    noSource: (name: string) => client.delete(DataSource, { name }),
    /** A claim of one Deployment for data, unless something else is said. */
    claim: (
      name: string,
      data: string,
      workload: string,
      more: Partial<DataSourceClaimSpec> = {},
    ) =>
      client.create(DataSourceClaim, {
        metadata: here(name),
        spec: {
          system: 'hive',
          dataSourceType: 'table',
          dataSourceName: data,
          ...(more.workloadSelector === undefined
            ? { workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: workload } }
            : {}),
          ...more,
        } as never,
      }),
    editClaim: (name: string, spec: object) =>
      client.patch(DataSourceClaim, here(name), merge({ spec })),
    noClaim: (name: string) => client.delete(DataSourceClaim, here(name)),
    binding: (name: string, kind = 'deployment') =>
      getOrUndefined(client, ResourceBinding, here(`${name}-${kind}`)),
    /** The clusters of the work, its admission, and the reason of its last schedule: `c1 c2 | Admitted | Success`. */
    async told(name: string, kind = 'deployment'): Promise<string> {
      const found = await getOrUndefined(client, ResourceBinding, here(`${name}-${kind}`));
      if (found === undefined) return 'no binding';
      const { spec, status } = found;
      const { conditions } = status ?? {};
      const held = spec.suspension?.scheduling === true ? ' held' : '';
      return [
        (spec.clusters ?? []).map((one) => one.name).join(' ') || 'nowhere',
        `${findCondition(conditions, 'Admitted')?.reason ?? '-'}${held}`,
        findCondition(conditions, 'Scheduled')?.reason ?? '-',
      ].join(' | ');
    },
  };
};
