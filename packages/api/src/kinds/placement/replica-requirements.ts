import { list, map, object, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { replicas } from '../../fragments/fragments.ts';
import { nodeSelector } from '../../fragments/pod-affinity.ts';
import { resourceList } from '../../fragments/pod-resources.ts';
import { tolerations } from '../../fragments/pod-tolerations.ts';
import { MAX_COMPONENTS } from './limits.ts';

const nodeClaim = () =>
  object('The nodes that a replica can run on.', {
    hardNodeAffinity: optional(nodeSelector('What the node affinity of the pods demands.')),
    nodeSelector: optional(
      map('Labels that the node must have.', string('The value of the label.')),
    ),
    tolerations: optional(tolerations('The taints of nodes that the pods put up with.')),
  });

const requirementFields = () => ({
  nodeClaim: optional(nodeClaim()),
  resourceRequest: optional(resourceList('What one replica asks for.')),
  priorityClassName: optional(string('The priority class of the pods.')),
});

/** Schema of the requirements of one replica. */
export const replicaRequirements = (description: string) =>
  object(description, {
    ...requirementFields(),
    namespace: optional(string('The namespace of the pods, for which a cluster may have a quota.')),
  });

/** The parts of work that is made of several kinds of pods, such as a master and its workers. */
export const components = (description: string) =>
  check(
    list(
      description,
      object('One kind of pods.', {
        name: string('The name of the component, unique within the list.', {
          minLength: 1,
          maxLength: 32,
        }),
        replicas: replicas('How many pods of this kind there are.'),
        replicaRequirements: optional(
          object('What one replica needs of a cluster.', requirementFields()),
        ),
      }),
      { maxItems: MAX_COMPONENTS },
    ),
    {
      rule: 'self.all(a, self.exists_one(b, b.name == a.name))',
      message: 'each component needs a name of its own',
    },
  );

export type NodeClaim = StoredOf<ReturnType<typeof nodeClaim>>;
export type ReplicaRequirements = StoredOf<ReturnType<typeof replicaRequirements>>;
export type Component = StoredOf<ReturnType<typeof components>>[number];
