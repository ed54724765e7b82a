import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { findCondition } from '@perigee/api/values/conditions';
import { nearNames } from '@perigee/api/values/near-names';
import { NO_CLUSTER } from '../../data/combine-placement.ts';
import { basePlacementOf } from '../../data/data-marks.ts';
import type { Binding } from '../../placement/binding/binding.ts';
import { divisionStrategy } from '../../placement/scheduler/division-strategy.ts';
import { isDivisible } from '../../placement/scheduler/placement-request.ts';
import { targetsOf } from '../../placement/work/targets.ts';
import type { Finding, StageReason } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';
import type { Attempt, ClusterVerdict, Explanation } from '../verdicts/explain-decision.ts';

/** All cluster names in a placement. */
export const namesIn = ({
  clusterAffinity,
  clusterAffinities = [],
}: Placement): readonly string[] =>
  [
    clusterAffinity ?? {},
    ...clusterAffinities.flatMap((term) => [term, ...(term.overflowAffinities ?? [])]),
  ].flatMap(({ clusterNames = [] }) => clusterNames);

/** A cluster name in a policy that does not exist, with similar names. */
export interface UnknownName {
  readonly name: string;
  readonly near: readonly string[];
}

/** The names in a placement that no cluster has. */
export const unknownNames = (
  placement: Placement,
  clusters: readonly string[],
): readonly UnknownName[] =>
  [...new Set(namesIn(placement))]
    .filter((name) => name !== NO_CLUSTER && !clusters.includes(name))
    .map((name) => ({ name, near: nearNames(name, clusters) }));

export const unknownText = ({ name, near: [first] }: UnknownName): string =>
  `no cluster is named \`${name}\`${first === undefined ? '' : `: did you mean \`${first}\`?`}`;

const unknownFinding = (unknown: readonly UnknownName[], isRefused: boolean): Finding => ({
  stage: 'placement',
  reason: 'UnknownCluster',
  severity: isRefused ? 'holds' : 'info',
  by: 'user',
  message: unknown.map(unknownText).join('; '),
  details: { names: unknown },
});

/** Clusters that the weights name and that do not exist: without a weight of any cluster, all weigh the same. */
const weightFindings = ({ spec }: Binding, clusters: readonly string[]): readonly Finding[] => {
  const { weightPreference } = spec.placement?.replicaScheduling ?? {};
  if (weightPreference?.dynamicWeight !== undefined) return [];
  const names = (weightPreference?.staticWeightList ?? []).flatMap(
    ({ targetCluster }) => targetCluster.clusterNames ?? [],
  );
  const unknown = [...new Set(names)]
    .filter((name) => !clusters.includes(name))
    .map((name) => ({ name, near: nearNames(name, clusters) }));
  if (unknown.length === 0) return [];
  const message = `the weights count for nothing where they name a cluster in vain: ${unknown.map(unknownText).join('; ')}`;
  const base = { stage: 'placement', reason: 'UnknownWeight', by: 'user' } as const;
  return [{ ...base, severity: 'info', message, details: { names: unknown } }];
};

const MOST_SENTENCES = 3;
const MOST_CLUSTERS = 3;

const namesOf = (names: readonly string[]): string =>
  names.length <= MOST_CLUSTERS
    ? names.join(', ')
    : `${names.slice(0, MOST_CLUSTERS).join(', ')} and ${names.length - MOST_CLUSTERS} more`;

type RefusalVerdict = Extract<ClusterVerdict, { readonly verdict: 'refused' }>;

const isRefused = (verdict: ClusterVerdict): verdict is RefusalVerdict =>
  verdict.verdict === 'refused';

/** Clusters that the policy selects come before the others. */
const rankOf = ([first]: readonly RefusalVerdict[]): number =>
  Number(first?.reason === 'AffinityMismatch');

/** Reasons of refused clusters, grouped by message, those that the policy selects first, then by frequency. */
const refusalSentences = (verdicts: readonly ClusterVerdict[]) => {
  const refusals = verdicts.filter(isRefused);
  const words = Map.groupBy(refusals, ({ specific, message }) => specific?.message ?? message);
  return [...words]
    .toSorted(([, a], [, b]) => rankOf(a) - rankOf(b) || b.length - a.length)
    .map(([text, same]) => ({ names: namesOf(same.map(({ name }) => name)), text }));
};

const refusalText = (verdicts: readonly ClusterVerdict[]): string => {
  const sentences = refusalSentences(verdicts).map(({ names, text }) => `${names}: ${text}`);
  const more = sentences.length - MOST_SENTENCES;
  const reasons = sentences.slice(0, MOST_SENTENCES).join('; ');
  return more > 0 ? `${reasons}; and ${more} reasons more` : reasons;
};

const groupsText = ({ groups }: Attempt): string => {
  if (groups === undefined) return '';
  const groupTexts = groups.names.map(({ name, clusters }) => `${name} (${namesOf(clusters)})`);
  return ` There are: ${groupTexts.join(', ') || 'none'}`;
};

/** The reason for which the present decision chooses no cluster. */
const refusalReason = (attempt: Attempt): string => {
  if (attempt.reason === 'NoClusterFit') return `no cluster fits: ${refusalText(attempt.clusters)}`;
  const isWithoutData = attempt.clusters.some(
    (one) => isRefused(one) && one.reason === 'DataNotThere',
  );
  if (isWithoutData) return `no cluster fits: ${refusalText(attempt.clusters)}`;
  if (attempt.shortage !== undefined) return `too little room: ${attempt.shortage}`;
  return `${(attempt.message ?? '').replace(/\.$/, '')}.${groupsText(attempt)}`.replace(/\.$/, '');
};

/** Refusals by properties of the work instead of the cluster. */
const BY_WISH = new Set([
  'DataNotThere',
  'AffinityMismatch',
  'GroupIsElsewhere',
  'GroupIsHere',
  'BeingEvicted',
]);

/** Clusters that the policy names and the work does not run in. */
const leftOut = (binding: Binding, explanation: Explanation | undefined): readonly Finding[] => {
  const placement = basePlacementOf(binding.metadata) ?? binding.spec.placement ?? {};
  const policyClusters = new Set(namesIn(placement));
  const refusals = (explanation?.attempts.at(-1)?.clusters ?? []).filter(isRefused);
  const omittedClusters = refusals.filter(
    ({ name, reason }) => policyClusters.has(name) && !BY_WISH.has(reason),
  );
  if (omittedClusters.length === 0) return [];
  const names = namesOf(omittedClusters.map(({ name }) => name));
  const [first, second] = refusalSentences(omittedClusters);
  // One reason for all needs no second list of their names.
  const why = second === undefined ? first?.text : refusalText(omittedClusters);
  const isWhole =
    isDivisible(binding.spec) &&
    divisionStrategy(placement.replicaScheduling) !== 'duplicated' &&
    targetsOf(binding.spec).reduce((sum, { replicas = 0 }) => sum + replicas, 0) >=
      (binding.spec.replicas ?? 0);
  return [
    {
      stage: 'placement',
      reason: 'LeftOut',
      // Divided replicas that all have a cluster miss nothing.
      severity: isWhole ? 'info' : 'degrades',
      by: 'cluster',
      message: `the policy names ${names} as well, which ${omittedClusters.length === 1 ? 'is' : 'are'} left out: ${why}`,
      details: { clusters: omittedClusters.map(({ name, reason }) => ({ name, reason })) },
    },
  ];
};

const wordsOf = (affinity: ClusterAffinity): readonly string[] => {
  const { clusterNames = [], exclude = [], labelSelector = {}, fieldSelector } = affinity;
  const { matchLabels = {}, matchExpressions = [] } = labelSelector;
  const rules = [...matchExpressions, ...(fieldSelector?.matchExpressions ?? [])];
  return [
    ...(clusterNames.length === 0 ? [] : [`named ${namesOf(clusterNames)}`]),
    ...(exclude.length === 0 ? [] : [`not named ${namesOf(exclude)}`]),
    ...Object.entries(matchLabels).map(([key, value]) => `with the label ${key}=${value}`),
    ...rules.map(
      ({ key, operator, values = [] }) => `with ${key} ${operator} (${values.join(', ')})`,
    ),
  ];
};

/** The clusters that a policy asks for, in its own words: for readers who may not see any. */
const askedText = ({ metadata, spec }: Binding): string => {
  const { clusterAffinity, clusterAffinities } = basePlacementOf(metadata) ?? spec.placement ?? {};
  const affinities = clusterAffinity === undefined ? (clusterAffinities ?? []) : [clusterAffinity];
  const terms = affinities.map(wordsOf).filter((words) => words.length > 0);
  if (terms.length === 0) return '';
  const text = terms.map((words) => words.join(', ')).join('; or ');
  return `: its policy asks for clusters ${text}`;
};

/** Words of the scheduler about clusters that are too small, rather than ones that the policy does not want. */
const FOR_ROOM = /available replicas|have room for/;

/** Reports the placement, or the reason for each refused cluster. */
export const placementStage = (
  snapshot: WorkSnapshot,
  isPlaced: boolean,
  explanation: Explanation | undefined,
): readonly Finding[] => {
  const binding = read(snapshot.binding, undefined);
  if (binding === undefined || binding.spec.placement === undefined) return [];
  const areClustersKnown = 'value' in snapshot.clusters;
  const names = snapshot.world.clusters.map(({ name }) => name);
  const wishes = basePlacementOf(binding.metadata) ?? binding.spec.placement;
  const unknown = areClustersKnown ? unknownNames(wishes, names) : [];
  const scheduledCondition = findCondition(binding.status?.conditions, 'Scheduled');
  // For want of room, a cluster more may not be what it takes.
  const isForRoom = explanation?.attempts[0]?.shortage !== undefined;
  const isRefusedNow = scheduledCondition?.status === 'False' && !isPlaced && !isForRoom;
  const foreignClusters = [
    ...(unknown.length === 0 ? [] : [unknownFinding(unknown, isRefusedNow)]),
    ...(areClustersKnown ? weightFindings(binding, names) : []),
  ];
  if (scheduledCondition?.status !== 'False') {
    return isPlaced ? [...foreignClusters, ...leftOut(binding, explanation)] : foreignClusters;
  }
  const [attempt] = explanation?.attempts ?? [];
  const isStillSo = explanation?.outcome === 'refused' && attempt !== undefined;
  const statement = scheduledCondition.message.replace(/\.$/, '');
  const message = isStillSo
    ? refusalReason(attempt)
    : areClustersKnown
      ? `${statement}; a cluster would take it now, and it is tried again`
      : `${statement}${askedText(binding)}`;
  const refusals = isStillSo ? attempt.clusters.filter(isRefused) : [];
  const finding: Finding = {
    stage: 'placement',
    reason: (isPlaced
      ? 'StaysWhileUnfit'
      : scheduledCondition.reason) satisfies string as StageReason,
    severity: isPlaced ? 'degrades' : 'holds',
    by: isForRoom || FOR_ROOM.test(statement) ? 'cluster' : 'policy',
    message: isPlaced ? `it stays where it is: ${message}` : message,
    since: scheduledCondition.lastTransitionTime,
    details: {
      condition: { reason: scheduledCondition.reason, message: scheduledCondition.message },
      refused: refusals.map(({ name, filter, reason, specific }) => ({
        cluster: name,
        filter,
        reason,
        ...specific,
      })),
    },
  };
  return [...foreignClusters, finding];
};
