import { list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { labelSelector } from '../../fragments/fragments.ts';
import { labelKey } from './label-syntax.ts';
import { MAX_AFFINITIES, MAX_CLUSTERS, MAX_OVERFLOWS } from './limits.ts';

const fieldSelector = (description: string) =>
  object(description, {
    matchExpressions: optional(
      list(
        'Conditions on fields, all of which must hold.',
        object('A condition on one field of the cluster.', {
          key: oneOf('The field of the cluster’s spec; zone stands for any of its zones.', [
            'provider',
            'region',
            'zone',
          ]),
          operator: oneOf('Whether the field must be, or must not be, among the values.', [
            'In',
            'NotIn',
          ]),
          values: optional(list('The values to compare with.', string('A value.'))),
        }),
      ),
    ),
  });

const clusterNames = (description: string) =>
  list(description, string('The name of a cluster.'), { maxItems: MAX_CLUSTERS });

const affinityFields = () => ({
  labelSelector: optional(labelSelector('Keeps the clusters whose labels match.')),
  fieldSelector: optional(
    fieldSelector('Keeps the clusters whose provider, region or zones match.'),
  ),
  clusterNames: optional(clusterNames('Keeps these clusters; every cluster when left out.')),
  exclude: optional(clusterNames('Drops these clusters, whatever else selects them.')),
});

/** Schema of a selection of clusters: those that satisfy all conditions. */
export const clusterAffinity = (description: string) => object(description, affinityFields());

const affinityName = (description: string) => labelKey(description, 32);

const overflowAffinities = () =>
  list(
    'Further groups, taken in order when the clusters before them have no room left; on the way down the last group is emptied first. A cluster in several groups counts for the first.',
    object('A group of clusters that takes what does not fit before it.', {
      affinityName: affinityName('The name of the group, unique within the term.'),
      ...affinityFields(),
    }),
    { maxItems: MAX_OVERFLOWS },
  );

const clusterAffinityTerm = () =>
  check(
    object('A named group of clusters.', {
      affinityName: affinityName('The name of the group, unique within the placement.'),
      ...affinityFields(),
      overflowAffinities: optional(overflowAffinities()),
    }),
    {
      rule: '!has(self.overflowAffinities) || has(self.labelSelector) || has(self.fieldSelector) || (has(self.clusterNames) && size(self.clusterNames) > 0) || (has(self.exclude) && size(self.exclude) > 0)',
      message:
        'overflowAffinities need a primary group: say which clusters come first by labelSelector, fieldSelector, clusterNames or exclude',
      fieldPath: '.overflowAffinities',
    },
    {
      rule: '!has(self.overflowAffinities) || self.overflowAffinities.all(o, o.affinityName != self.affinityName && self.overflowAffinities.exists_one(p, p.affinityName == o.affinityName))',
      message:
        'each affinityName must be unique within overflowAffinities and differ from the name of the term',
      fieldPath: '.overflowAffinities',
    },
  );

/** Named groups of clusters, tried in the order of the list. */
export const clusterAffinities = (description: string) =>
  check(list(description, clusterAffinityTerm(), { maxItems: MAX_AFFINITIES }), {
    rule: 'self.all(a, self.exists_one(b, b.affinityName == a.affinityName))',
    message: 'each affinityName must be unique within clusterAffinities',
  });

export type ClusterAffinity = StoredOf<ReturnType<typeof clusterAffinity>>;
export type FieldSelector = StoredOf<ReturnType<typeof fieldSelector>>;
export type ClusterAffinityTerm = StoredOf<ReturnType<typeof clusterAffinityTerm>>;
export type OverflowClusterAffinity = StoredOf<ReturnType<typeof overflowAffinities>>[number];
