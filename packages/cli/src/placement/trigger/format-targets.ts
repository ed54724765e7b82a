import type { TriggeredTarget } from '@perigee/api/kinds/placement/schedule-trigger-status';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { formatReasonsTable } from '../../output/reasons-table.ts';

const sharesText = (clusters: readonly TargetCluster[] | undefined): string =>
  (clusters ?? [])
    .map(({ name, replicas }) => (replicas === undefined ? name : `${name}:${replicas}`))
    .join(' ');

const HEADER = ['RESOURCE', 'NAMESPACE', 'RESULT', 'BEFORE', 'AFTER', 'MOVED', 'WHY'];

/** A table with the result for each resource. */
export const formatTargets = (targets: readonly TriggeredTarget[], isWide: boolean): string => {
  const rows = targets.map((target) => [
    `${target.kind.toLowerCase()}/${target.name}`,
    target.namespace ?? '',
    target.result,
    sharesText(target.before),
    sharesText(target.after),
    target.replicasMoved === undefined ? '' : String(target.replicasMoved),
    target.message ?? target.reason ?? '',
  ]);
  return formatReasonsTable([HEADER, ...rows], { isWide });
};
