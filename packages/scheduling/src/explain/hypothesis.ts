import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { present } from '@perigee/schema/present';
import type { Explanation } from './verdicts/explain-decision.ts';

/** The change of replicas in one cluster by a decision. */
export interface Move {
  readonly cluster: string;
  /** Absent for a cluster without replicas. Work without replicas counts as 1. */
  readonly from?: number;
  readonly to?: number;
}

/** The difference between a fresh decision and the present state. */
export interface Difference {
  readonly moves: readonly Move[];
  readonly message: string;
}

const sharesOf = (
  clusters: readonly { readonly name: string; readonly replicas?: number | undefined }[],
): ReadonlyMap<string, number> =>
  new Map(clusters.map(({ name, replicas }) => [name, replicas ?? 1]));

const moveText = ({ cluster, from, to }: Move, isCounted: boolean): string => {
  if (from === undefined) return `${cluster} would get ${isCounted ? to : 'it'}`;
  if (to === undefined) return `${cluster} would lose ${isCounted ? from : 'it'}`;
  return `${cluster} would go from ${from} to ${to}`;
};

/** Undefined if a fresh decision would change nothing. */
export const differenceOf = (
  spec: BindingSpec,
  explanation: Explanation,
): Difference | undefined => {
  const before = sharesOf(spec.clusters ?? []);
  const isCounted = explanation.division !== 'whole';
  if (explanation.outcome === 'refused') {
    if (before.size === 0) return undefined;
    const message = 'no cluster would be found, and it would stay where it is';
    return explanation.stays === undefined || explanation.stays.length === 0
      ? undefined
      : { moves: [], message };
  }
  const chosenClusters = (explanation.attempts.at(-1)?.clusters ?? []).filter(
    ({ verdict }) => verdict === 'chosen',
  );
  const after = sharesOf(
    chosenClusters.map((one) => ({
      name: one.name,
      replicas: 'replicas' in one ? one.replicas : undefined,
    })),
  );
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const moves = names.flatMap((cluster): readonly Move[] => {
    const [from, to] = [before.get(cluster), after.get(cluster)];
    if (from === to) return [];
    return [{ cluster, ...present({ from, to }) }];
  });
  if (moves.length === 0) return undefined;
  return { moves, message: moves.map((move) => moveText(move, isCounted)).join(', ') };
};
