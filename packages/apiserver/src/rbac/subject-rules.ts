import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { present, unlessEmpty } from '@perigee/schema/present';
import { heldRules, missingText, type Policy } from './authorize.ts';

/** The status of a SelfSubjectRulesReview. */
export interface SubjectRules {
  readonly resourceRules: readonly PolicyRule[];
  readonly nonResourceRules: readonly PolicyRule[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

const forResources = (rule: PolicyRule): readonly PolicyRule[] => {
  const { verbs = [], apiGroups, resources = [], resourceNames = [] } = rule;
  if (resources.length === 0) return [];
  return [
    {
      verbs,
      ...present({ apiGroups }),
      resources,
      ...present({ resourceNames: unlessEmpty(resourceNames) }),
    },
  ];
};

const forPaths = ({ verbs = [], nonResourceURLs = [] }: PolicyRule): readonly PolicyRule[] =>
  nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }];

/** Rules of a user in a namespace, as `kubectl auth can-i --list` shows them. */
export const subjectRules = (policy: Policy, user: UserInfo, namespace: string): SubjectRules => {
  const { rules, missingRoles } = heldRules(policy, user, namespace);
  return {
    resourceRules: rules.flatMap(forResources),
    nonResourceRules: rules.flatMap(forPaths),
    incomplete: false,
    ...present({
      evaluationError: missingRoles.length > 0 ? missingText(missingRoles) : undefined,
    }),
  };
};
