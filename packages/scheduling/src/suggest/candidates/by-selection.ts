import type { ResourceSelector } from '@perigee/api/kinds/placement/resource-selector';
import { nearNames } from '@perigee/api/values/near-names';
import { present } from '@perigee/schema/present';
import type { Template } from '../../placement/binding/desired-binding.ts';
import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
import { bestMatch } from '../../placement/policy/selector-match.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import { startNeeds } from '../start-needs.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { newPolicy, placementFor, putPolicy } from './new-policy.ts';
import { policyChange, policyTitle } from './policy-change.ts';
import { workChange } from './work-change.ts';

type Labels = { readonly [key: string]: string };

/** The labels that a selector of the right kind asks for and the work lacks; undefined if labels cannot help. */
const missingLabels = (
  { apiVersion, kind, name, labelSelector }: ResourceSelector,
  template: Template,
): Labels | undefined => {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  if (apiVersion !== template.apiVersion || kind !== template.kind || name) return undefined;
  if (matchExpressions.some(({ operator }) => operator !== 'In')) return undefined;
  const labels = template.metadata.labels ?? {};
  const expressionLabels = matchExpressions.flatMap(({ key, values = [] }) =>
    values.includes(labels[key] ?? '') || values[0] === undefined
      ? []
      : [[key, values[0]] as const],
  );
  const labelPairs = [...Object.entries(matchLabels), ...expressionLabels].filter(
    ([key, value]) => labels[key] !== value,
  );
  return labelPairs.length === 0 ? undefined : Object.fromEntries(labelPairs);
};

const labelCandidates = (policy: AnyPolicy, template: Template): readonly Candidate[] => {
  const { namespace } = policy.metadata;
  if (namespace && namespace !== template.metadata.namespace) return [];
  return policy.spec.resourceSelectors.flatMap((selector) => {
    const labels = missingLabels(selector, template);
    if (labels === undefined) return [];
    const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    const text = `label the work with ${words.join(',')}, so that ${policyTitle(policy)} selects it`;
    return [
      workChange(template, { metadata: { labels } }, { reason: 'LabelWork', text, cost: 1.5 }),
    ];
  });
};

interface Correction {
  readonly field: string;
  readonly wrong: string;
  readonly right: string;
  readonly selector: ResourceSelector;
  readonly cost: number;
}

const isNear = (word: string, model: string): boolean => nearNames(word, [model]).length > 0;

/** The corrected selector, if only one field keeps it from the work. */
const correctionOf = (
  selector: ResourceSelector,
  { apiVersion, kind, metadata: { namespace = '', name } }: Template,
  isWide: boolean,
): Correction | undefined => {
  const isMeant = selector.name === name;
  const hasKind = selector.kind === kind;
  const wrong = {
    kind: !hasKind,
    apiVersion: hasKind && selector.apiVersion !== apiVersion,
    namespace: isWide && Boolean(selector.namespace) && selector.namespace !== namespace,
    name: Boolean(selector.name) && !isMeant,
  };
  const fields = Object.entries(wrong).filter(([, isWrong]) => isWrong);
  const [field] = fields.map(([one]) => one);
  if (fields.length !== 1) return undefined;
  switch (field) {
    case 'kind': {
      if (!isMeant && !isNear(selector.kind, kind)) return undefined;
      const right = { ...selector, apiVersion, kind };
      return { field, wrong: selector.kind, right: kind, selector: right, cost: 1.2 };
    }
    case 'apiVersion': {
      const right = { ...selector, apiVersion };
      return { field, wrong: selector.apiVersion, right: apiVersion, selector: right, cost: 1 };
    }
    case 'namespace': {
      const place = selector.namespace ?? '';
      if (!isMeant && !isNear(place, namespace)) return undefined;
      const right = { ...selector, namespace };
      return { field, wrong: place, right: namespace, selector: right, cost: 1.2 };
    }
    default: {
      if (!isNear(selector.name ?? '', name)) return undefined;
      const right = { ...selector, name };
      return { field: 'name', wrong: selector.name ?? '', right: name, selector: right, cost: 1 };
    }
  }
};

/** True if a selector selects other work: then it is not misspelt. */
const selectsOthers = (
  { metadata: { namespace } }: AnyPolicy,
  selector: ResourceSelector,
  { templates }: PlanState,
): boolean =>
  [...templates.values()].some(
    (other) =>
      (!namespace || namespace === other.metadata.namespace) && bestMatch([selector], other) > 0,
  );

/** A selector that is misspelt if it matches nothing. */
export interface DoubtfulSelector {
  readonly selector: ResourceSelector;
  /** The namespace in which it selects; absent for all. */
  readonly namespace?: string;
}

/** The selectors that miss a template by one word; the caller must check that they match nothing. */
export const doubtfulSelectors = (
  template: Template,
  policies: readonly AnyPolicy[],
): readonly DoubtfulSelector[] =>
  policies.flatMap(({ metadata, spec }) => {
    const { namespace } = metadata;
    if (namespace && namespace !== template.metadata.namespace) return [];
    return spec.resourceSelectors
      .filter((selector) => correctionOf(selector, template, !namespace) !== undefined)
      .map((selector) => {
        const place = namespace || selector.namespace;
        return { selector, ...present({ namespace: place || undefined }) };
      });
  });

/** Selectors of policies that miss the work by one word. */
const correctCandidates = (
  policy: AnyPolicy,
  template: Template,
  state: PlanState,
): readonly Candidate[] => {
  const { namespace } = policy.metadata;
  if (namespace && namespace !== template.metadata.namespace) return [];
  const selectors = policy.spec.resourceSelectors;
  return selectors.flatMap((one, at) => {
    const correction = correctionOf(one, template, !namespace);
    if (correction === undefined || selectsOthers(policy, one, state)) return [];
    const { field, wrong, right, selector, cost } = correction;
    const resourceSelectors = selectors.map((other, index) => (index === at ? selector : other));
    const text = `select the ${field} ${right} instead of ${wrong} in ${policyTitle(policy)}`;
    return [
      policyChange(policy, { spec: { resourceSelectors } }, { reason: 'FixSelector', text, cost }),
    ];
  });
};

/** Changes that make a policy select unselected work. */
export const bySelection = ({ state, template, binding }: StuckWork): readonly Candidate[] => {
  if (template === undefined || binding !== undefined) return [];
  const near = [...state.policies.values()].flatMap((policy) => [
    ...correctCandidates(policy, template, state),
    ...labelCandidates(policy, template),
  ]);
  // Whoever needs a ConfigMap or a Secret to start needs it in the members, too.
  const propagateDeps = startNeeds(template).length > 0 || undefined;
  const placement = placementFor(template);
  const manifest = newPolicy(state, template, { placement, ...present({ propagateDeps }) });
  const newPolicyCandidate: Candidate = {
    reason: 'AddPolicy',
    text: 'write a policy that selects the work',
    cost: 2.5,
    change: putPolicy(manifest),
    manifest,
  };
  return [...near, newPolicyCandidate];
};
