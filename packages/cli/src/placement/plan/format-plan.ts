import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { isChange, type Plan, type PlannedWork } from '@perigee/scheduling/plan/planned-work';
import { formatReasonsTable } from '../../output/reasons-table.ts';
import { terminalOf } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';

const HEADER = ['WORK', 'NAMESPACE', 'WHAT', 'FROM', 'TO', 'AFTER', 'WHY'];

/** Shares shown per line; the others are only counted. */
const MOST_SHARES = 6;

const sharesText = (clusters: readonly TargetCluster[], isWide: boolean): string => {
  const visibleClusters = isWide ? clusters : clusters.slice(0, MOST_SHARES);
  const more = clusters.length - visibleClusters.length;
  const shares = visibleClusters.map(({ name, replicas }) =>
    replicas === undefined ? name : `${name}:${replicas}`,
  );
  return [...shares, ...(more > 0 ? [`and ${more} more`] : [])].join(' ');
};

/** A duration such as `1m30s`; empty for zero. */
const afterText = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const parts = [
    [hours, 'h'],
    [minutes, 'm'],
    [seconds % 60, 's'],
  ] as const;
  return parts.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('');
};

const rowOf = (work: PlannedWork, isWide: boolean): readonly string[] => [
  `${work.kind.toLowerCase()}/${work.name}`,
  work.namespace ?? '',
  work.action,
  sharesText(work.from, isWide),
  sharesText(work.to, isWide),
  isChange(work) ? afterText(work.afterSeconds) : '',
  `${work.reason}: ${work.message}`,
];

const VERBS: { readonly [action in PlannedWork['action']]: string } = {
  place: 'would be placed',
  move: 'would move',
  scale: 'would have other replicas',
  update: 'would be updated where it is',
  remove: 'would lose all clusters',
  wait: 'would run nowhere',
  short: 'would have fewer replicas than wanted',
  stay: 'would stay',
};

/** The summary in one line. */
const planSummary = ({ work }: Plan): string => {
  if (work.length === 0) return 'Nothing would change.';
  const counts = [...Map.groupBy(work, ({ action }) => action)].map(
    ([action, all]) => `${all.length} ${VERBS[action]}`,
  );
  const what = `${work.length} ${work.length === 1 ? 'workload' : 'workloads'}`;
  return `Of ${what}: ${counts.join(', ')}.`;
};

/** A plan for people: the summary, each workload, then the notes. */
export const formatPlan = (plan: Plan, isWide: boolean): string => {
  const terminal = terminalOf(process.stdout);
  const rows = plan.work.map((one) => rowOf(one, isWide));
  const table = rows.length === 0 ? '' : `\n${formatReasonsTable([HEADER, ...rows], { isWide })}`;
  const notes = plan.notes.map((note) => `\n${fitProse(`Note: ${note}`, terminal)}\n`);
  return `${planSummary(plan)}\n${table}${notes.join('')}`;
};
