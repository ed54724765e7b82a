import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';

/** The groups of a workload's pods in one member. */
export interface MemberGroups {
  readonly cluster: string;
  readonly groups: readonly Pick<PodGroup, 'metadata' | 'spec' | 'status'>[];
}

type GangCondition = Pick<
  Extract<ConditionOf<'Binding'>, { readonly type: 'Gang' }>,
  'type' | 'status' | 'reason' | 'message'
>;

/** As many are told of; a workload may be in very many clusters. */
const MOST_TOLD = 10;

const whyWaiting = ({ spec, status }: MemberGroups['groups'][number]): string | undefined => {
  const { phase = 'Pending', running = 0, succeeded = 0, conditions = [] } = status ?? {};
  if (phase === 'Running' || phase === 'Completed') return undefined;
  const unschedulable = conditions.find(
    (condition) => condition.type === 'Unschedulable' && condition.status === 'True',
  );
  if (unschedulable !== undefined) return unschedulable.message ?? unschedulable.reason ?? phase;
  // One that has nodes already, or is still being looked at, waits for nothing that could be named.
  if (phase !== 'Pending' && phase !== 'Unknown') return undefined;
  return `${phase}, ${running + succeeded} of ${spec.minMember ?? 0} pods run`;
};

/** Whether the pods of a workload wait for each other somewhere; nothing when they are in no groups. */
export const gangCondition = (members: readonly MemberGroups[]): GangCondition | undefined => {
  const groups = members.flatMap(({ cluster, groups: all }) =>
    all.map((group) => ({ cluster, why: whyWaiting(group) })),
  );
  if (groups.length === 0) return undefined;
  const waiting = groups.filter(({ why }) => why !== undefined);
  if (waiting.length === 0) {
    const message = `${groups.length} groups of pods in ${members.length} clusters have what they need`;
    return { type: 'Gang', status: 'True', reason: 'GangsStarted', message };
  }
  const told = waiting.slice(0, MOST_TOLD).map(({ cluster, why }) => `${cluster}: ${why}`);
  const more = waiting.length - told.length;
  const message = [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  return { type: 'Gang', status: 'False', reason: 'GangsWait', message };
};
