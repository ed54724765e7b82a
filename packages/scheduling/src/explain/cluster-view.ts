import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import { findCondition } from '@perigee/api/values/conditions';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { isFinished } from '../interpreter/completion-checks.ts';
import { numberIn, textIn } from '../interpreter/fields.ts';
import { expectedClusters } from '../placement/work/targets.ts';
import { memberReplicas } from './member-replicas.ts';
import { read, type WorkSnapshot } from './snapshot.ts';
import { isRefusedIn } from './stages/work-stage.ts';

/** The state of work in one cluster. */
export interface ClusterView {
  readonly cluster: string;
  /** The desired number of replicas; absent for work that has none. */
  readonly wanted?: number;
  readonly ready?: number;
  readonly work: 'missing' | 'unknown' | 'on its way' | 'not applied' | 'behind' | 'applied';
  readonly health: 'Healthy' | 'Unhealthy' | 'Unknown' | 'Finished';
  /** True if the cluster reports to the control plane. */
  readonly isReachable?: boolean;
  readonly isLeaving: boolean;
  /** The number of pods by phase; absent where pods cannot be read. */
  readonly pods?: { readonly [phase: string]: number };
}

const READY_FIELDS = ['readyReplicas', 'numberReady', 'ready', 'active'];

/** The ready replicas in a cluster, by the status that the member reports; undefined if it reports none. */
export const readyReplicas = ({ status, health }: AggregatedStatusItem): number | undefined => {
  if (status === undefined) return undefined;
  if (health === 'Unknown') return 0;
  const fields = status as JsonObject;
  const readyCount = READY_FIELDS.map((field) => numberIn(fields, field)).find(
    (one) => one !== undefined,
  );
  // A workload without ready replicas leaves the field out.
  return readyCount ?? ('replicas' in fields || 'observedGeneration' in fields ? 0 : undefined);
};

const podPhases = (pods: readonly JsonObject[]): { readonly [phase: string]: number } => {
  const counts: { [phase: string]: number } = {};
  for (const pod of pods) {
    const phase =
      textIn(pod, 'metadata', 'deletionTimestamp') === ''
        ? textIn(pod, 'status', 'phase') || 'Pending'
        : 'Terminating';
    counts[phase] = (counts[phase] ?? 0) + 1;
  }
  return counts;
};

const isWell = ({ health, isReachable, wanted = 0, ready = wanted }: ClusterView): boolean =>
  isReachable !== false && (health === 'Healthy' || health === 'Finished') && ready >= wanted;

/** Unhealthy clusters first, then by name. */
const byTrouble = (a: ClusterView, b: ClusterView): number =>
  Number(isWell(a)) - Number(isWell(b)) || (a.cluster < b.cluster ? -1 : 1);

/** The state of each cluster: by the binding, its Work, the object there, its pods. */
export const clusterViews = (snapshot: WorkSnapshot): readonly ClusterView[] => {
  const binding = read(snapshot.binding, undefined);
  if (binding === undefined) return [];
  const { spec, status } = binding;
  const works = new Map(
    read(snapshot.works, []).map((work) => [
      clusterOfExecutionNamespace(work.metadata.namespace ?? ''),
      work,
    ]),
  );
  const clusters = new Map(
    read(snapshot.clusters, []).map((cluster) => [cluster.metadata.name, cluster]),
  );
  const leavingClusters = new Set(
    (spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster),
  );
  const views = [...expectedClusters(spec)].map((cluster): ClusterView => {
    const item = (status?.aggregatedStatus ?? []).find((one) => one.clusterName === cluster);
    const work = works.get(cluster);
    const appliedCondition = findCondition(work?.status?.conditions, 'Applied');
    const member = clusters.get(cluster);
    const desiredReplicas = memberReplicas(spec, cluster, work);
    const ready = item === undefined ? undefined : readyReplicas(item);
    const state = read(snapshot.members.get(cluster) ?? { hidden: '' }, undefined);
    const isRefused = isRefusedIn(binding, cluster);
    const isBehind =
      item?.status !== undefined &&
      (item.applied === false || (isRefused && item.applied === true));
    return {
      cluster,
      ...present({
        wanted: desiredReplicas,
        ready: desiredReplicas === undefined ? undefined : (ready ?? 0),
      }),
      work: isBehind
        ? 'behind'
        : item?.applied === true
          ? 'applied'
          : appliedCondition?.status === 'False'
            ? 'not applied'
            : work !== undefined
              ? 'on its way'
              : 'hidden' in snapshot.works
                ? 'unknown'
                : 'missing',
      health: isFinished(spec.resource, item?.status) ? 'Finished' : (item?.health ?? 'Unknown'),
      ...present({
        isReachable: member && findCondition(member.status?.conditions, 'Ready')?.status === 'True',
      }),
      isLeaving: leavingClusters.has(cluster),
      ...present({ pods: state && podPhases(state.pods) }),
    };
  });
  return views.toSorted(byTrouble);
};
