import { int32, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { clusterAffinity } from '../placement/cluster-affinity.ts';
import { labelKey, labelValue } from '../placement/label-syntax.ts';
import { TAINT_EFFECTS } from './cluster-taints.ts';

const MAX_TAINTS = 100;

const matchCondition = () =>
  object('A condition of the cluster, and what its status must be.', {
    conditionType: string('The type of a condition in the status of the cluster, such as Ready.', {
      minLength: 1,
    }),
    operator: oneOf(
      'Whether the status of the condition must be, or must not be, among the values. A condition that the cluster does not have matches neither.',
      ['In', 'NotIn'],
    ),
    statusValues: list(
      'The values to compare with.',
      oneOf('The status of a condition.', ['True', 'False', 'Unknown']),
    ),
    forSeconds: optional(
      int32(
        'How long the condition must have had its status; when left out, it counts at once. Karmada does not have this field.',
        { minimum: 0 },
      ),
    ),
  });

const matchConditions = (description: string) => list(description, matchCondition());

const policyTaint = () =>
  object('A taint that clusters get and lose.', {
    key: labelKey('The key of the taint, such as example.com/lost.'),
    value: optional(labelValue('The value of the taint.')),
    effect: oneOf(
      'NoSchedule lets no new work in, PreferNoSchedule is advice that placement ignores, NoExecute also moves running work away.',
      TAINT_EFFECTS,
    ),
  });

export const ClusterTaintPolicy = defineKind({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'ClusterTaintPolicy',
  plural: 'clustertaintpolicies',
  scope: 'Cluster',
  categories: ['karmada-io'],
  doc: 'Gives taints to clusters, and takes them away, by what is known of the clusters: for example so that work leaves a cluster that is lost. Taints stay when the policy goes.',
  spec: object('Which clusters get and lose which taints, and when.', {
    targetClusters: optional(
      clusterAffinity(
        'The clusters that are meant; all of them when left out. A cluster that is no longer meant keeps its taints.',
      ),
    ),
    addOnConditions: optional(
      matchConditions(
        'The cluster gets the taints when all of these match; it never does when there are none.',
      ),
    ),
    removeOnConditions: optional(
      matchConditions(
        'The cluster loses the taints when all of these match; it never does when there are none. This is looked at after addOnConditions.',
      ),
    ),
    taints: check(
      list(
        'The taints. One that a cluster has already, by key and effect, stays as it is; one is removed whoever added it.',
        policyTaint(),
        { minItems: 1, maxItems: MAX_TAINTS },
      ),
      {
        rule: 'self.all(a, self.exists_one(b, b.key == a.key && b.effect == a.effect))',
        message: 'each taint must be there once: two have the same key and effect',
      },
    ),
  }),
});
export type ClusterTaintPolicy = StoredObjectOf<typeof ClusterTaintPolicy>;
export type ClusterTaintPolicyWritten = WrittenObjectOf<typeof ClusterTaintPolicy>;
export type MatchCondition = StoredOf<ReturnType<typeof matchCondition>>;
export type PolicyTaint = StoredOf<ReturnType<typeof policyTaint>>;
