import type { ResourceSelector } from '@perigee/api/kinds/placement/resource-selector';
import { matchesRequirement } from '@perigee/api/values/label-requirement';
import { labelSelectorOf } from '@perigee/api/values/label-selector';
import { nearNames } from '@perigee/api/values/near-names';
import { ParseError } from '@perigee/schema/errors';
import type { Template } from '../placement/binding/desired-binding.ts';
import type { AnyPolicy, KnownPolicies } from '../placement/policy/policy-for.ts';
import { propagatedBy } from '../placement/policy/propagated-by.ts';
import { bestMatch, type Precision } from '../placement/policy/selector-match.ts';

/** The policy as messages name it. */
export const policyText = ({ kind, metadata }: AnyPolicy): string =>
  metadata.namespace === undefined
    ? `${kind} ${metadata.name}`
    : `${kind} ${metadata.namespace}/${metadata.name}`;

/** The policies as the detector knows them, from a plain list. */
export const knownPolicies = (
  template: Template,
  policies: readonly AnyPolicy[],
): KnownPolicies => ({
  own: policies.filter(
    ({ metadata }) =>
      metadata.namespace !== undefined && metadata.namespace === template.metadata.namespace,
  ),
  wide: policies.filter(({ metadata }) => metadata.namespace === undefined),
  policyNamed: ({ namespace, name }) =>
    policies.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
});

const PRECISIONS: { readonly [precision in Precision]: string } = {
  0: 'does not select it',
  1: 'selects its whole kind',
  2: 'selects it by labels',
  3: 'selects it by name',
};

/** A policy that selects a template as well, and the reason why it does not propagate it. */
export interface BeatenPolicy {
  readonly policy: string;
  readonly why: string;
}

const whyBeaten = (policy: AnyPolicy, winner: AnyPolicy, template: Template): string => {
  if (policy.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  const [isOwn, winnerIsOwn] = [policy, winner].map(({ metadata }) => Boolean(metadata.namespace));
  if (!isOwn && winnerIsOwn) return 'a policy of the namespace goes before cluster-wide ones';
  const owner = propagatedBy(template.metadata);
  const isHeld =
    owner?.name === winner.metadata.name && owner.namespace === winner.metadata.namespace;
  const [priority, best] = [policy.spec.priority, winner.spec.priority];
  if (isHeld && priority > best) return 'it may not take over: its `preemption` is not Always';
  if (priority < best) return `its priority is ${priority}, and not ${best}`;
  const [precision, bestPrecision] = [policy, winner].map(({ spec }) =>
    bestMatch(spec.resourceSelectors, template),
  ) as [Precision, Precision];
  if (precision < bestPrecision) return `it ${PRECISIONS[precision]} only`;
  return isHeld ? 'the other one had it first' : 'the other one comes first by name';
};

/** The policies that select a template without propagating it. */
export const beatenPolicies = (
  template: Template,
  winner: AnyPolicy,
  { own, wide }: KnownPolicies,
): readonly BeatenPolicy[] =>
  [...own, ...wide]
    .filter((policy) => policy !== winner && bestMatch(policy.spec.resourceSelectors, template) > 0)
    .map((policy) => ({ policy: policyText(policy), why: whyBeaten(policy, winner, template) }));

/** The precision with which a policy selects a template: by name, by labels, or by kind. */
export const selectionText = (policy: AnyPolicy, template: Template): string =>
  PRECISIONS[bestMatch(policy.spec.resourceSelectors, template)];

/** A policy that nearly selects a template. */
export interface NearMiss {
  readonly policy: string;
  /** The field that does not match. */
  readonly field: string;
  readonly wanted: string;
  readonly found: string;
}

const labelMiss = (
  selector: ResourceSelector['labelSelector'],
  labels: Template['metadata']['labels'] = {},
): Omit<NearMiss, 'policy'> | undefined => {
  try {
    const parsedSelector = labelSelectorOf(selector);
    if (parsedSelector.selects === 'nothing') return undefined;
    const mismatch = parsedSelector.requirements.find((one) => !matchesRequirement(one, labels));
    if (mismatch === undefined) return undefined;
    const labelValue = Object.hasOwn(labels, mismatch.key)
      ? (labels[mismatch.key] ?? '')
      : '(none)';
    return {
      field: `label ${mismatch.key}`,
      wanted: mismatch.values.join(' or ') || 'any',
      found: labelValue,
    };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { field: 'labelSelector', wanted: error.message, found: '(unreadable)' };
  }
};

/** The field of a policy that selects in another namespace. */
const ELSEWHERE = 'namespace of the policy';

/** All fields by which a selector misses a template. */
const missesOf = (
  { apiVersion, kind, namespace, name, labelSelector }: ResourceSelector,
  template: Template,
  policyNamespace: string | undefined,
): readonly Omit<NearMiss, 'policy'>[] => {
  const { metadata } = template;
  const differs = (field: string, requirement: string, value: string) =>
    requirement === value ? [] : [{ field, wanted: requirement, found: value }];
  const place = metadata.namespace ?? '';
  return [
    ...(policyNamespace === undefined ? [] : differs(ELSEWHERE, policyNamespace, place)),
    ...differs('kind', kind, template.kind),
    ...(kind === template.kind ? differs('apiVersion', apiVersion, template.apiVersion) : []),
    // The selectors of a namespaced policy cover its namespace only.
    ...(namespace && policyNamespace === undefined ? differs('namespace', namespace, place) : []),
    ...(name ? differs('name', name, metadata.name) : []),
    ...(name || labelSelector === undefined
      ? []
      : [labelMiss(labelSelector, metadata.labels) ?? []].flat()),
  ];
};

const MOST_MISSES = 3;
/** Limit of near misses: a large control plane has many policies. */
const nearness = ({ field }: NearMiss): number =>
  ['name', 'namespace', 'apiVersion', 'kind', ELSEWHERE].indexOf(field);

/** The policies that miss a template by a single field. */
export const nearMisses = (
  template: Template,
  policies: readonly AnyPolicy[],
): readonly NearMiss[] => {
  const candidates = policies.flatMap((policy): readonly NearMiss[] =>
    policy.spec.resourceSelectors.flatMap((selector) => {
      const misses = missesOf(selector, template, policy.metadata.namespace);
      const [{ field, wanted } = { field: '', wanted: '' }] = misses;
      const { name, namespace = '' } = template.metadata;
      const isMeant = selector.name === name;
      // A mismatch of the kind or the place alone is near if the name is the same, and one of a name if both are similar.
      const isNear =
        misses.length === 1 &&
        (!['kind', ELSEWHERE].includes(field) || isMeant) &&
        (field !== 'namespace' || isMeant || nearNames(namespace, [wanted]).length > 0) &&
        (field !== 'name' || nearNames(name, [wanted]).length > 0);
      return isNear ? misses.map((miss) => ({ policy: policyText(policy), ...miss })) : [];
    }),
  );
  const [nearest, ...others] = candidates.toSorted((a, b) => nearness(a) - nearness(b));
  if (nearest === undefined) return [];
  // Every namespace may have a policy for work of the same name: one of them is enough, and only if none is nearer.
  return [nearest, ...others.filter(({ field }) => field !== ELSEWHERE)].slice(0, MOST_MISSES);
};

export const missText = ({ policy, field, wanted, found }: NearMiss): string =>
  field === ELSEWHERE
    ? `${policy} would, and selects in its own namespace only`
    : `${policy} would if its ${field} were not \`${wanted}\` but \`${found}\``;
