import type {
  OperationClusterState,
  OperationStatus,
} from '@perigee/api/kinds/flows/operation-status';
import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { objectIn, objectsIn } from '../interpreter/fields.ts';
import type { FindOperation } from './find-cycle.ts';
import { keyOfReference, type Operation, predecessorsOf, statusOf } from './operation.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** The node labels that operations can always follow, as in Fluid. */
const KEYS = [HOSTNAME, 'topology.kubernetes.io/region', 'topology.kubernetes.io/zone'] as const;

/** Annotation of an operation: further node labels to publish for followers, separated by commas. */
export const FURTHER_LABELS = 'affinity.dataflow.fluid.io/labels';

const MOST_LABELS = 32;

type NodeAffinity = NonNullable<OperationStatus['nodeAffinity']>;
type Term = NonNullable<
  NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']
>['nodeSelectorTerms'][number];
type Expression = NonNullable<Term['matchExpressions']>[number];

/** The node labels that an operation publishes. */
export const reportedLabels = (further: string | undefined): readonly string[] => {
  const keys = (further ?? '').split(',').map((key) => key.trim());
  return [...new Set([...KEYS, ...keys.filter((key) => key !== '')])].slice(0, MOST_LABELS);
};

/** The labels of the node that an operation ran on, reported by its cluster. */
export type NodeLabels = { readonly [key: string]: string };

/** The nodes of an operation, for followers; undefined if no cluster reports them. */
export const nodesOf = (
  states: readonly OperationClusterState[],
  labelsOf: (cluster: string) => NodeLabels,
): NodeAffinity | undefined => {
  const values = new Map<string, Set<string>>();
  for (const { name, node } of states) {
    const labels = { ...present({ [HOSTNAME]: node }), ...labelsOf(name) };
    for (const [key, value] of Object.entries(labels)) {
      values.set(key, (values.get(key) ?? new Set()).add(value));
    }
  }
  if (values.size === 0) return undefined;
  const matchExpressions = [...values].map(
    ([key, of]): Expression => ({
      key,
      operator: 'In',
      values: [...of].sort(),
    }),
  );
  return {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
  };
};

/** An operation whose nodes another one follows, with the strategy. */
interface Leader {
  readonly operation: Operation;
  readonly strategy: NonNullable<NonNullable<Operation['spec']['runAfter']>['affinityStrategy']>;
}

const followedBy = (operation: Operation, find: FindOperation): readonly Leader[] =>
  predecessorsOf(operation).flatMap((predecessor) => {
    const strategy = predecessor.affinityStrategy;
    if (!strategy?.policy) return [];
    const { namespace = '' } = operation.metadata;
    const followedOperation = find(keyOfReference(strategy.dependOn ?? predecessor, namespace));
    return followedOperation === undefined ? [] : [{ operation: followedOperation, strategy }];
  });

/** The node requirement for one of the labels, if the followed operation reported it. */
const expressionFor = ({ operation }: Leader, key: string): readonly Expression[] => {
  const requiredAffinity =
    statusOf(operation).nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const [term] = requiredAffinity?.nodeSelectorTerms ?? [];
  return (term?.matchExpressions ?? []).filter((expression) => expression.key === key);
};

const keysOf = (
  preferences: readonly { readonly name: string }[] | undefined,
): readonly string[] =>
  preferences === undefined || preferences.length === 0
    ? [HOSTNAME]
    : preferences.map(({ name }) => name);

/** Node requirements that follow from other operations. */
export interface FollowedNodes {
  readonly required: readonly Expression[];
  readonly preferred: readonly { readonly weight: number; readonly expression: Expression }[];
  /** The clusters of the operations that must be followed. */
  readonly clusters: readonly string[] | undefined;
}

export const followedNodes = (operation: Operation, find: FindOperation): FollowedNodes => {
  const all = followedBy(operation, find);
  const must = all.filter(({ strategy }) => strategy.policy === 'Require');
  const should = all.filter(({ strategy }) => strategy.policy === 'Prefer');
  const clusters = must.map(
    (one) => new Set((statusOf(one.operation).clusters ?? []).map(({ name }) => name)),
  );
  const [first, ...others] = clusters;
  return {
    required: must.flatMap((one) =>
      keysOf(one.strategy.requires).flatMap((key) => expressionFor(one, key)),
    ),
    preferred: should.flatMap((one) => {
      const preferences = one.strategy.prefers?.length
        ? one.strategy.prefers
        : [{ name: HOSTNAME, weight: 100 }];
      return preferences.flatMap(({ name, weight }) =>
        expressionFor(one, name).map((expression) => ({ weight, expression })),
      );
    }),
    clusters: first && [...first].filter((name) => others.every((one) => one.has(name))).sort(),
  };
};

/** The pod with the node requirements of its operation added to its own. */
export const onFollowedNodes = (
  podSpec: JsonObject,
  { required, preferred }: FollowedNodes,
): JsonObject => {
  if (required.length === 0 && preferred.length === 0) return podSpec;
  const affinity = objectIn(podSpec, 'affinity');
  const nodes = objectIn(affinity, 'nodeAffinity');
  const own = objectsIn(
    nodes,
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  const terms = (own.length === 0 ? [{}] : own).map((term: JsonObject) => ({
    ...term,
    matchExpressions: [...objectsIn(term, 'matchExpressions'), ...(required as never[])],
  }));
  const preferences = [
    ...objectsIn(nodes, 'preferredDuringSchedulingIgnoredDuringExecution'),
    ...preferred.map(({ weight, expression }) => ({
      weight,
      preference: { matchExpressions: [expression as never] },
    })),
  ];
  return {
    ...podSpec,
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...nodes,
        ...present({
          requiredDuringSchedulingIgnoredDuringExecution:
            required.length === 0 ? undefined : { nodeSelectorTerms: terms },
          preferredDuringSchedulingIgnoredDuringExecution: unlessEmpty(preferences),
        }),
      },
    },
  };
};
