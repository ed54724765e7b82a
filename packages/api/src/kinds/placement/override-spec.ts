import { list, object } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { clusterAffinity } from './cluster-affinity.ts';
import { MAX_OVERRIDE_RULES } from './limits.ts';
import { overriders } from './overriders.ts';
import { resourceSelectors } from './resource-selector.ts';

const overrideRule = () =>
  object('What to change for some clusters.', {
    targetCluster: optional(
      clusterAffinity('The clusters that the change is for; every cluster when left out.'),
    ),
    overriders: overriders('What to change.'),
  });

const OVERRIDERS = Object.keys(overriders('').openapi.properties ?? {});

const isEmpty = (field: string): string => `(!has(${field}) || size(${field}) == 0)`;

const NO_OVERRIDERS = OVERRIDERS.map((name) => isEmpty(`self.overriders.${name}`)).join(' && ');

/** The spec of both kinds of override policy: what differs between clusters. */
export const overrideSpec = () =>
  check(
    object('What is changed in which resources for which clusters.', {
      resourceSelectors: optional(
        resourceSelectors('The resources that are changed; every resource when left out.'),
      ),
      overrideRules: optional(
        list('What to change for which clusters; applied in order.', overrideRule(), {
          maxItems: MAX_OVERRIDE_RULES,
        }),
      ),
      targetCluster: optional(
        clusterAffinity('The earlier form of one rule’s targetCluster; use overrideRules.'),
      ),
      overriders: optional(
        overriders('The earlier form of one rule’s overriders; use overrideRules.'),
      ),
    }),
    {
      rule: '!has(self.overrideRules) || !has(self.targetCluster)',
      message:
        'overrideRules and the earlier targetCluster exclude each other; move it into a rule',
      fieldPath: '.targetCluster',
    },
    {
      rule: `!has(self.overrideRules) || !has(self.overriders) || (${NO_OVERRIDERS})`,
      message: 'overrideRules and the earlier overriders exclude each other; move them into a rule',
      fieldPath: '.overriders',
    },
  );

export type OverrideSpec = StoredOf<ReturnType<typeof overrideSpec>>;
export type RuleWithCluster = StoredOf<ReturnType<typeof overrideRule>>;
