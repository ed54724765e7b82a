import { nearNames } from '@perigee/api/values/near-names';
import { present } from '@perigee/schema/present';
import type { Template } from '../../placement/binding/desired-binding.ts';
import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
import { bestMatch } from '../../placement/policy/selector-match.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import { keyOf } from '../../plan/world.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { policyChange, policyTitle } from './policy-change.ts';
import { workChange } from './work-change.ts';

const CLAIMED_BY = 'resourcetemplate.karmada.io/claimed-by';

/** The annotation with the cause of a change; writing it is a change. */
const CHANGE_CAUSE = 'kubernetes.io/change-cause';

const releasedFromOthers = (template: Template): readonly Candidate[] => {
  const { labels = {}, annotations = {} } = template.metadata;
  const holder = labels[CLAIMED_BY] ?? annotations[CLAIMED_BY];
  if (holder === undefined) return [];
  const metadata = present({
    labels: labels[CLAIMED_BY] === undefined ? undefined : { [CLAIMED_BY]: null },
    annotations: annotations[CLAIMED_BY] === undefined ? undefined : { [CLAIMED_BY]: null },
  });
  const text = `take the mark ${CLAIMED_BY} off the work, if ${holder || 'nobody'} does not look after it any more`;
  return [workChange(template, { metadata }, { reason: 'ReleaseWork', text, cost: 2 })];
};

const overridesFixed = (policy: AnyPolicy, { overrides }: PlanState): readonly Candidate[] => {
  const { namespace } = policy.metadata;
  const names = policy.spec.dependentOverrides ?? [];
  const missingOverrides = names.filter((name) => !overrides.has(keyOf({ namespace, name })));
  if (missingOverrides.length === 0) return [];
  const overrideNames = [...overrides.values()]
    .filter(({ metadata }) => (metadata.namespace ?? '') === (namespace ?? ''))
    .map(({ metadata }) => metadata.name);
  const near = new Map(missingOverrides.map((name) => [name, nearNames(name, overrideNames)[0]]));
  const isMisspelt = missingOverrides.every((name) => near.get(name) !== undefined);
  const dependentOverrides = names.flatMap((name) =>
    missingOverrides.includes(name) ? (isMisspelt ? [near.get(name) ?? name] : []) : [name],
  );
  const text = isMisspelt
    ? `let ${policyTitle(policy)} wait for the override policy ${missingOverrides.map((name) => near.get(name)).join(', ')} instead of ${missingOverrides.join(', ')}, which does not exist`
    : `do not let ${policyTitle(policy)} wait for the override policy ${missingOverrides.join(', ')}, which does not exist`;
  const words = { reason: 'FixDependentOverrides', text, cost: isMisspelt ? 1 : 2 } as const;
  return [policyChange(policy, { spec: { dependentOverrides } }, words)];
};

const classFixed = (policy: AnyPolicy, { priorityClasses }: PlanState): readonly Candidate[] => {
  const name = policy.spec.schedulePriority?.priorityClassName;
  if (name === undefined || priorityClasses.has(keyOf({ name }))) return [];
  const names = [...priorityClasses.values()].map(({ metadata }) => metadata.name);
  const [near] = nearNames(name, names);
  if (near !== undefined) {
    const text = `name the PriorityClass ${near} instead of ${name}, which does not exist, in ${policyTitle(policy)}`;
    const patch = { spec: { schedulePriority: { priorityClassName: near } } };
    return [policyChange(policy, patch, { reason: 'FixPriorityClass', text, cost: 1 })];
  }
  const text = `schedule without the PriorityClass ${name}, which does not exist: take schedulePriority out of ${policyTitle(policy)}`;
  const patch = { spec: { schedulePriority: null } };
  return [policyChange(policy, patch, { reason: 'FixPriorityClass', text, cost: 2 })];
};

const touchCandidates = (policy: AnyPolicy, template: Template): readonly Candidate[] => {
  if (policy.spec.activationPreference !== 'Lazy') return [];
  const cause = `propagated by ${policyTitle(policy)}`;
  const annotations = { [CHANGE_CAUSE]: cause };
  const text = `change the work in any way, such as by an annotation: ${policyTitle(policy)} is lazy, and looks at it then`;
  return [
    workChange(template, { metadata: { annotations } }, { reason: 'TouchWork', text, cost: 1 }),
  ];
};

/** Candidates that supply or drop the prerequisites of a binding. */
export const byPrerequisite = ({ state, template, binding }: StuckWork): readonly Candidate[] => {
  if (template === undefined || binding !== undefined) return [];
  const { namespace } = template.metadata;
  const policies = [...state.policies.values()].filter(
    ({ metadata, spec }) =>
      (!metadata.namespace || metadata.namespace === namespace) &&
      bestMatch(spec.resourceSelectors, template) > 0,
  );
  return [
    ...releasedFromOthers(template),
    ...policies.flatMap((policy) => [
      ...overridesFixed(policy, state),
      ...classFixed(policy, state),
      ...touchCandidates(policy, template),
    ]),
  ];
};
