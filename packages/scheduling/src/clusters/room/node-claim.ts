import type { NodeClaim } from '@perigee/api/kinds/placement/replica-requirements';
import {
  type LabelOperator,
  type Labels,
  matchesRequirement,
} from '@perigee/api/values/label-requirement';
import { tolerates } from '../tolerations.ts';

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** The node fields that decide whether a pod may run there. */
export interface NodeFeatures {
  readonly labels: Labels;
  readonly taints: readonly NodeTaint[];
  readonly isUnschedulable: boolean;
}

/** A parsed node claim: a pod's node constraints besides resources. */
export interface ReadNodeClaim {
  /** Equal for equal claims. */
  readonly key: string;
  /** The label keys that it reads. */
  readonly labels: ReadonlySet<string>;
  /** It reads node names, or has more parts than are evaluated. */
  readonly isBeyondLabels: boolean;
  /** True if a node accepts pods with this claim; `name` is absent where it is unknown. */
  accepts(features: NodeFeatures, name?: string): boolean;
}

type Term = NonNullable<NodeClaim['hardNodeAffinity']>['nodeSelectorTerms'][number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

/** Bounds a tenant's claim, which is compared with every pool of every cluster. */
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

/** Parses the node constraints of pods; an empty claim has no tolerations. */
export const readNodeClaim = (claim: NodeClaim = {}): ReadNodeClaim => {
  const { nodeSelector = {}, hardNodeAffinity } = claim;
  const terms = hardNodeAffinity?.nodeSelectorTerms;
  // Numeric taint comparison is recent in Kubernetes; an estimate must not rely on it.
  const tolerations = (claim.tolerations ?? []).flatMap(({ operator = 'Equal', ...rest }) =>
    operator === 'Exists' || operator === 'Equal' ? [{ operator, ...rest }] : [],
  );
  const isTolerated = (taint: NodeTaint): boolean =>
    taint.effect === 'PreferNoSchedule' || tolerations.some((one) => tolerates(one, taint));
  const fields = (terms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const expressions = (terms ?? []).flatMap(({ matchExpressions = [] }) => matchExpressions);
  const selectorLabels = Object.entries(nodeSelector);
  const tolerance = tolerations.map(({ tolerationSeconds: _, ...rest }) => rest);
  return {
    key: JSON.stringify([nodeSelector, terms ?? null, tolerance]),
    labels: new Set([...Object.keys(nodeSelector), ...expressions.map(({ key }) => key)]),
    isBeyondLabels: fields.length > 0 || partsOf(claim) > MOST_PARTS,
    accepts: (features, name = '') =>
      (!features.isUnschedulable || isTolerated(UNSCHEDULABLE)) &&
      features.taints.every(isTolerated) &&
      selectorLabels.every(([key, value]) => features.labels[key] === value) &&
      (terms === undefined || terms.some((term) => matchesTerm(term, features, name))),
  };
};

export const NO_CLAIM = readNodeClaim();
