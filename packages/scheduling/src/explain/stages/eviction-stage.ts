import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { taintText } from '../../clusters/tolerations.ts';
import { EvictionError } from '../../errors.ts';
import type { Binding } from '../../placement/binding/binding.ts';
import { drivenOut, drivingTaints, whyStay } from '../../placement/failover/drive-out.ts';
import type { TaintJudgement } from '../../placement/failover/taint-eviction.ts';
import { RecentDecisions } from '../../placement/scheduler/recent-decisions.ts';
import type { Finding } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

const judge = (
  binding: Binding,
  clusterOf: (name: string) => MemberCluster | undefined,
  nowMs: number,
): TaintJudgement => {
  try {
    return drivenOut(binding, clusterOf, { nowMs, purgeMode: 'Gracefully' });
  } catch (error) {
    if (error instanceof EvictionError) return {};
    throw error;
  }
};

/** Clusters whose taints drive the work out: that it is about to leave them, or why it stays all the same. */
export const evictionStage = (snapshot: WorkSnapshot): readonly Finding[] => {
  const binding = read(snapshot.binding, undefined);
  const clusters = read(snapshot.clusters, undefined);
  if (binding === undefined || clusters === undefined) return [];
  const byName = new Map(clusters.map((cluster) => [cluster.metadata.name, cluster]));
  const clusterOf = (name: string) => byName.get(name);
  const { evicted, nextMs } = judge(binding, clusterOf, snapshot.nowMs);
  const driving = (binding.spec.clusters ?? []).filter(
    ({ name }) => drivingTaints(clusterOf(name)).length > 0,
  );
  const from = evicted?.from ?? driving.map(({ name }) => name);
  const taints = new Set(from.flatMap((name) => drivingTaints(clusterOf(name)).map(taintText)));
  const where = `${from.join(', ')} (${[...taints].map((taint) => `taint \`${taint}\``).join(', ')})`;
  const base = { stage: 'placement', severity: 'info', by: 'cluster' } as const;
  if (evicted !== undefined) {
    const why = whyStay(binding, evicted, snapshot.world.clusters, new RecentDecisions());
    const message =
      why === undefined
        ? `it is about to leave ${where}`
        : `it is to leave ${where}, and stays: ${why}`;
    return [{ ...base, reason: why === undefined ? 'LeavesCluster' : 'StaysWhileUnfit', message }];
  }
  if (nextMs === undefined) return [];
  const seconds = Math.ceil(nextMs / 1000);
  const message = `it is to leave ${where} in ${seconds} s, if the taint is there until then`;
  return [{ ...base, reason: 'LeavesCluster', message }];
};
