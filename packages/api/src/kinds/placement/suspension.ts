import { boolean, list, object, string } from '@perigee/schema/structural/builder';
import { check, optional, type Schema, type StoredOf } from '@perigee/schema/structural/schema';
import { MAX_CLUSTERS } from './limits.ts';

const dispatchingFields = () => ({
  dispatching: optional(
    boolean('True stops sending the work to any cluster; what is there already stays.'),
  ),
  dispatchingOnClusters: optional(
    object('Stops sending the work to some clusters.', {
      clusterNames: optional(
        list('The clusters, by name.', string('The name of a cluster.'), {
          maxItems: MAX_CLUSTERS,
        }),
      ),
    }),
  ),
});

const allOrSome = <S, W>(schema: Schema<S, W, 'required'>) =>
  check(schema, {
    rule: '!(has(self.dispatching) && self.dispatching && has(self.dispatchingOnClusters) && has(self.dispatchingOnClusters.clusterNames) && size(self.dispatchingOnClusters.clusterNames) > 0)',
    message:
      'dispatching stops every cluster, so dispatchingOnClusters.clusterNames must be empty beside it',
    fieldPath: '.dispatchingOnClusters',
  });

/** Schema of the suspension in a policy, of dispatching alone. */
export const suspension = (description: string) =>
  allOrSome(object(description, dispatchingFields()));

/** Schema of the suspension in a binding, of dispatching and of scheduling. */
export const bindingSuspension = (description: string) =>
  allOrSome(
    object(description, {
      ...dispatchingFields(),
      scheduling: optional(
        boolean(
          'True keeps the scheduler from choosing clusters until it is false or gone. Whoever admits the work sets it before the first schedule; later it comes too late.',
        ),
      ),
    }),
  );

export type Suspension = StoredOf<ReturnType<typeof suspension>>;
export type BindingSuspension = StoredOf<ReturnType<typeof bindingSuspension>>;
