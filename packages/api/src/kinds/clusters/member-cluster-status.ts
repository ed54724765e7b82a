import { int32, int64, list, object, string } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { conditions } from '../../fragments/fragments.ts';
import { resourceList } from '../../fragments/pod-resources.ts';

const apiEnablement = () =>
  object('What the cluster serves of one API version.', {
    groupVersion: string('The API version, such as apps/v1.'),
    resources: optional(
      list(
        'The resources that it serves.',
        object('A resource.', {
          name: string('The plural name, as in URLs, such as deployments.'),
          kind: string('The kind, such as Deployment.'),
        }),
      ),
    ),
  });

const resourceSummary = () =>
  object('What the cluster has, and what of it is spoken for.', {
    allocatable: optional(resourceList('What all nodes together can give to pods.')),
    allocating: optional(resourceList('What pods that wait for a node ask for.')),
    allocated: optional(resourceList('What pods that have a node ask for.')),
    allocatableModelings: optional(
      list(
        'How many nodes there are of each grade of spec.resourceModels.',
        object('The nodes of one grade.', {
          grade: int64('The number of the grade.', { minimum: 0 }),
          count: int64('How many nodes have that much left.', { minimum: 0 }),
        }),
      ),
    ),
  });

/** Schema of the status of a member cluster. */
export const clusterStatus = () =>
  object('What is known about the cluster.', {
    kubernetesVersion: optional(string('The version of Kubernetes that it runs.')),
    apiEnablements: optional(
      list('The APIs that it serves; work goes only where its kind is served.', apiEnablement()),
    ),
    conditions: optional(
      conditions<'MemberCluster'>(
        'Ready says whether the cluster can take work, CompleteAPIEnablements whether apiEnablements is the whole list.',
      ),
    ),
    nodeSummary: optional(
      object('The nodes of the cluster.', {
        totalNum: optional(int32('How many nodes there are.', { minimum: 0 })),
        readyNum: optional(int32('How many of them are ready.', { minimum: 0 })),
      }),
    ),
    resourceSummary: optional(resourceSummary()),
    remedyActions: optional(
      list('What should be done about the state of the cluster.', string('An action.')),
    ),
  });

export type ClusterStatus = StoredOf<ReturnType<typeof clusterStatus>>;
export type ApiEnablement = StoredOf<ReturnType<typeof apiEnablement>>;
export type ResourceSummary = StoredOf<ReturnType<typeof resourceSummary>>;
