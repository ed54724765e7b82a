import { list, object, string } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { replicas } from '../../fragments/fragments.ts';
import { MAX_CLUSTERS, MAX_COMPONENTS } from './limits.ts';

/** Clusters, and what each of them gets. */
export const targetClusters = (description: string) =>
  list(
    description,
    object('A cluster and its share.', {
      name: string('The name of the cluster.'),
      replicas: optional(replicas('How many replicas it gets; left out for what has no replicas.')),
      components: optional(
        list(
          'How many replicas of each component it gets, for work made of several kinds of pods.',
          object('The share of one component.', {
            name: string('The name of an entry of the binding’s components.'),
            replicas: replicas('How many replicas of it the cluster gets.'),
          }),
          { maxItems: MAX_COMPONENTS },
        ),
      ),
    }),
    { maxItems: MAX_CLUSTERS },
  );

export type TargetCluster = StoredOf<ReturnType<typeof targetClusters>>[number];
export type TargetComponent = NonNullable<TargetCluster['components']>[number];
