import { labelValue } from '@perigee/api/values/label-requirement';
import type { ClusterFacts } from '../cluster-facts.ts';
import type { Filter, Refusal } from '../filter.ts';

const NAME = 'SpreadConstraint';

const lacks = (reason: string, what: string): Refusal => ({
  filter: NAME,
  reason,
  message: `cluster(s) did not have ${what}`,
});

const PROPERTIES: readonly {
  readonly field: string;
  readonly refusal: Refusal;
  readonly has: (cluster: ClusterFacts) => boolean;
}[] = [
  {
    field: 'provider',
    refusal: lacks('NoProvider', 'provider property'),
    has: ({ provider }) => provider !== '',
  },
  {
    field: 'region',
    refusal: lacks('NoRegion', 'region property'),
    has: ({ region }) => region !== '',
  },
  {
    field: 'zone',
    refusal: lacks('NoZone', 'zones property'),
    has: ({ zones }) => zones.length > 0,
  },
];

/** Spreading by a property requires clusters that have it. */
export const spreadConstraintFilter: Filter = {
  name: NAME,
  reasons: ['NoProvider', 'NoRegion', 'NoZone', 'NoLabel'],
  prepare: ({ placement }) => {
    const constraints = placement.spreadConstraints ?? [];
    const fields = new Set(constraints.map(({ spreadByField }) => spreadByField ?? ''));
    const labels = constraints.flatMap(({ spreadByLabel }) => spreadByLabel || []);
    const requiredProperties = PROPERTIES.filter(({ field }) => fields.has(field as never));
    if (requiredProperties.length === 0 && labels.length === 0) return undefined;
    return (cluster) => {
      const missingProperty = requiredProperties.find(({ has }) => !has(cluster));
      if (missingProperty !== undefined) return missingProperty.refusal;
      const label = labels.find((key) => !labelValue(cluster.labels, key));
      return label === undefined ? undefined : lacks('NoLabel', `label ${label}`);
    };
  },
};
