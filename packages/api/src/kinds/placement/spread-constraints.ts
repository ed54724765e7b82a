import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { int64, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { MAX_CONSTRAINTS } from './limits.ts';

const spreadConstraint = () =>
  check(
    object('How many groups of clusters are used, and what makes a group.', {
      spreadByField: optional(
        oneOf(
          'The field of the cluster by which clusters form groups; cluster makes each a group of its own. When neither this nor spreadByLabel is given, it becomes cluster.',
          ['cluster', 'region', 'zone', 'provider'],
        ),
      ),
      spreadByLabel: optional(
        string('The label of the cluster by whose value clusters form groups.'),
      ),
      maxGroups: optional(int64('The most groups to use; at least minGroups.', { minimum: 0 })),
      minGroups: optional(int64('The fewest groups to use; 1 when left out or 0.', { minimum: 0 })),
    }),
    {
      rule: "!has(self.spreadByField) || !has(self.spreadByLabel) || self.spreadByLabel == ''",
      message: 'spreadByField and spreadByLabel exclude each other; keep one',
      fieldPath: '.spreadByLabel',
    },
    {
      rule: '!has(self.maxGroups) || !has(self.minGroups) || self.maxGroups == 0 || self.maxGroups >= self.minGroups',
      message: 'maxGroups must not be less than minGroups',
      fieldPath: '.maxGroups',
    },
  );

/** Schema of the limits for spreading work over groups of clusters. */
export const spreadConstraints = (description: string) =>
  check(
    list(description, spreadConstraint(), { maxItems: MAX_CONSTRAINTS }),
    {
      rule: 'self.all(c, !has(c.spreadByField) || self.exists_one(o, has(o.spreadByField) && o.spreadByField == c.spreadByField))',
      message: 'each spreadByField may be constrained once',
    },
    {
      rule: "!self.exists(c, has(c.spreadByField)) || self.exists(c, has(c.spreadByField) && c.spreadByField == 'cluster')",
      message:
        'a constraint by field needs one by cluster beside it, which says how many clusters to use in all',
    },
  );

/** Fills in what a constraint means when it leaves something out. */
export const normaliseSpreadConstraint = (constraint: JsonObject): JsonObject => {
  const { spreadByField, spreadByLabel, minGroups } = constraint;
  if ((spreadByField || spreadByLabel) && minGroups) return constraint;
  return {
    ...constraint,
    ...present({
      spreadByField: spreadByField || spreadByLabel ? undefined : 'cluster',
      minGroups: minGroups ? undefined : 1,
    }),
  };
};

export type SpreadConstraint = StoredOf<ReturnType<typeof spreadConstraint>>;
