import type { NodeClaim } from '@perigee/api/kinds/placement/replica-requirements';
import {
  type LabelOperator,
  type Labels,
  matchesRequirement,
} from '@perigee/api/values/label-requirement';
import { tolerates } from '../../placement/scheduler/filters/taint-toleration.ts';

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** What of a node decides whether pods may run there at all. */
export interface NodeFeatures {
  readonly labels: Labels;
  readonly taints: readonly NodeTaint[];
  readonly isUnschedulable: boolean;
}

/** What a pod asks of nodes beside resources, read once. */
export interface ReadNodeClaim {
  /** Equal for claims that say the same. */
  readonly key: string;
  /** The labels that it asks about. */
  readonly labels: ReadonlySet<string>;
  /** It asks about names of nodes, or about more than is weighed. */
  readonly isBeyondLabels: boolean;
  /** Whether pods with the claim may run on a node; `name` is its name, where that is known. */
  accepts(features: NodeFeatures, name?: string): boolean;
}

type Term = NonNullable<NodeClaim['hardNodeAffinity']>['nodeSelectorTerms'][number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

/** A tenant may write a claim as long as an object may be; it is compared with every pool of every cluster. */
const MOST_PARTS = 1_000;

const OPERATORS: { readonly [operator in Requirement['operator']]: LabelOperator } = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};

const UNSCHEDULABLE: NodeTaint = {
  key: 'node.kubernetes.io/unschedulable',
  effect: 'NoSchedule',
};

const holds = ({ key, operator, values = [] }: Requirement, labels: Labels): boolean =>
  matchesRequirement({ key, operator: OPERATORS[operator], values }, labels);

/** A term without requirements matches nothing. */
const matchesTerm = (
  { matchExpressions = [], matchFields = [] }: Term,
  { labels }: NodeFeatures,
  name: string,
): boolean =>
  matchExpressions.length + matchFields.length > 0 &&
  matchExpressions.every((one) => holds(one, labels)) &&
  matchFields.every((one) => holds(one, { 'metadata.name': name }));

const partsOf = ({ nodeSelector = {}, hardNodeAffinity, tolerations = [] }: NodeClaim): number =>
  Object.keys(nodeSelector).length +
  tolerations.length +
  (hardNodeAffinity?.nodeSelectorTerms ?? [])
    .flatMap(({ matchExpressions = [], matchFields = [] }) => [...matchExpressions, ...matchFields])
    .reduce((sum, { values = [] }) => sum + 1 + values.length, 0);

/** Reads what pods ask of nodes; a pod that asks for nothing has no tolerations either. */
export const readNodeClaim = (claim: NodeClaim = {}): ReadNodeClaim => {
  const { nodeSelector = {}, hardNodeAffinity } = claim;
  const terms = hardNodeAffinity?.nodeSelectorTerms;
  // Comparing taints as numbers is new in Kubernetes, and no estimate may count on it.
  const tolerations = (claim.tolerations ?? []).flatMap(({ operator = 'Equal', ...rest }) =>
    operator === 'Exists' || operator === 'Equal' ? [{ operator, ...rest }] : [],
  );
  const isTolerated = (taint: NodeTaint): boolean =>
    taint.effect === 'PreferNoSchedule' || tolerations.some((one) => tolerates(one, taint));
  const fields = (terms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const expressions = (terms ?? []).flatMap(({ matchExpressions = [] }) => matchExpressions);
  const wanted = Object.entries(nodeSelector);
  const tolerance = tolerations.map(({ tolerationSeconds: _, ...rest }) => rest);
  return {
    key: JSON.stringify([nodeSelector, terms ?? null, tolerance]),
    labels: new Set([...Object.keys(nodeSelector), ...expressions.map(({ key }) => key)]),
    isBeyondLabels: fields.length > 0 || partsOf(claim) > MOST_PARTS,
    accepts: (features, name = '') =>
      (!features.isUnschedulable || isTolerated(UNSCHEDULABLE)) &&
      features.taints.every(isTolerated) &&
      wanted.every(([key, value]) => features.labels[key] === value) &&
      (terms === undefined || terms.some((term) => matchesTerm(term, features, name))),
  };
};

export const NO_CLAIM = readNodeClaim();
