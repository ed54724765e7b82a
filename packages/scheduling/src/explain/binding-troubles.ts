import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import { findCondition } from '@perigee/api/values/conditions';
import { isFinished } from '../interpreter/completion-checks.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import { targetsOf } from '../placement/work/targets.ts';
import { byStage, type Finding } from './finding.ts';
import type { WorkSnapshot } from './snapshot.ts';
import { emptyFinding, memberStage } from './stages/member-stage.ts';
import { workStage } from './stages/work-stage.ts';

const UNREAD = { hidden: 'nobody looked' };

/** A snapshot that holds the binding only. */
const snapshotOf = (binding: Binding): WorkSnapshot => ({
  resource: binding.spec.resource,
  nowMs: 0,
  template: UNREAD,
  binding: { value: binding },
  policies: UNREAD,
  arePoliciesComplete: false,
  overrides: UNREAD,
  priorityClasses: UNREAD,
  claims: UNREAD,
  schedulers: UNREAD,
  clusters: UNREAD,
  world: { clusters: [], rules: standardRules },
  isRoomHidden: true,
  works: UNREAD,
  members: new Map(),
});

const isLost = ({ applied, health }: AggregatedStatusItem): boolean =>
  applied === true && health === 'Unknown';

/** Work that has run to its end needs its cluster no more. */
const lostFindings = ({ spec, status }: Binding): readonly Finding[] =>
  (status?.aggregatedStatus ?? [])
    .filter((item) => isLost(item) && !isFinished(spec.resource, item.status))
    .map(({ clusterName: cluster }) => ({
      stage: 'cluster',
      reason: 'ClusterUnreachable',
      severity: 'degrades',
      by: 'cluster',
      cluster,
      message: `nothing is heard of ${cluster}`,
    }));

/** Skips healthy work, which is nearly all of it, without a full explanation. */
const isWell = (binding: Binding): boolean => {
  const { spec, status } = binding;
  const { conditions, aggregatedStatus = [] } = status ?? {};
  const isFalse = (type: string): boolean => findCondition(conditions, type)?.status === 'False';
  const areItemsWell = aggregatedStatus.every(
    ({ applied, health, status: report }) =>
      applied === true && health === 'Healthy' && !isFinished(spec.resource, report),
  );
  return (
    areItemsWell &&
    aggregatedStatus.length >= targetsOf(spec).length &&
    (spec.gracefulEvictionTasks ?? []).length === 0 &&
    !isFalse('WorksWritten') &&
    !isFalse('Gang') &&
    emptyFinding(binding).length === 0
  );
};

/**
 * The problems of placed work, from its binding alone: the same findings as in an explanation, cheap enough to scan
 * all work.
 */
export const bindingTroubles = (binding: Binding): readonly Finding[] => {
  if (isWell(binding)) return [];
  const snapshot = snapshotOf(binding);
  return [...workStage(snapshot), ...lostFindings(binding), ...memberStage(snapshot)]
    .filter(({ severity }) => severity !== 'info')
    .toSorted(byStage);
};
