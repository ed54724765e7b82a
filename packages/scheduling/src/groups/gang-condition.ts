import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';

/** Totals over the groups of a workload's pods in one member. */
export interface GangSum {
  readonly groups: number;
  readonly pods: number;
  /** Pods without a node because their gang is incomplete. */
  readonly waitingPods: number;
  /** The reasons of the waiting groups; empty if none waits. */
  readonly why: readonly string[];
}

export interface MemberGangs extends GangSum {
  readonly cluster: string;
}

type Group = Pick<PodGroup, 'spec' | 'status'>;

type GangCondition = Pick<
  Extract<ConditionOf<'Binding'>, { readonly type: 'Gang' }>,
  'type' | 'status' | 'reason' | 'message'
>;

/** Bounds the message: a workload may be in very many clusters. */
const MOST_TOLD = 10;
const LONGEST_WHY = 300;

/** Message prefixes of a waiting group, from virtual members and from Volcano's scheduler. */
const HAVE_NODES = /^(\d{1,9}) of (\d{1,9}) pods have nodes, /;
const UNSCHEDULABLE = /^(\d{1,9})\/(\d{1,9}) tasks in gang unschedulable: /;
/** Message suffix that lists missing resources. */
const MISSING = /: ([^:]{1,200} missing)$/;

const countsIn = (
  message: string,
): { readonly waitingPods: number; readonly pods: number } | undefined => {
  const [, scheduledCount, all] = HAVE_NODES.exec(message) ?? [];
  if (scheduledCount !== undefined)
    return { waitingPods: Number(all) - Number(scheduledCount), pods: Number(all) };
  const [, without, podCount] = UNSCHEDULABLE.exec(message) ?? [];
  return without === undefined
    ? undefined
    : { waitingPods: Number(without), pods: Number(podCount) };
};

const whyIn = (message: string): string => {
  const [, shortage] = MISSING.exec(message) ?? [];
  return (shortage ?? message.replace(UNSCHEDULABLE, '')).slice(0, LONGEST_WHY);
};

const sumOf = ({ spec, status }: Group): GangSum => {
  const { phase = 'Pending', running = 0, succeeded = 0, conditions = [] } = status ?? {};
  const startedPods = running + succeeded;
  const well: GangSum = { groups: 1, pods: startedPods, waitingPods: 0, why: [] };
  if (phase === 'Running' || phase === 'Completed') return well;
  const unschedulable = conditions.find(
    (condition) => condition.type === 'Unschedulable' && condition.status === 'True',
  );
  // A gang with nodes, or still in evaluation, waits for nothing specific.
  if (unschedulable === undefined && phase !== 'Pending' && phase !== 'Unknown') return well;
  const minimum = spec.minMember ?? 0;
  const missingPods = Math.max(1, minimum - startedPods);
  const message = unschedulable?.message ?? unschedulable?.reason ?? `it is ${phase}`;
  const counts = countsIn(message) ?? { waitingPods: missingPods, pods: startedPods + missingPods };
  return { groups: 1, ...counts, why: [whyIn(message)] };
};

/** Totals over the groups of a workload in one member. */
export const gangSum = (groups: readonly Group[]): GangSum => {
  const sums = groups.map(sumOf);
  const total = (count: (sum: GangSum) => number): number =>
    sums.reduce((all, sum) => all + count(sum), 0);
  return {
    groups: sums.length,
    pods: total((sum) => sum.pods),
    waitingPods: total((sum) => sum.waitingPods),
    why: [...new Set(sums.flatMap(({ why }) => why))],
  };
};

const pods = (count: number): string => `${count} ${count === 1 ? 'pod' : 'pods'}`;

/** Joins the reasons, up to the limit. */
export const whyText = ({ why }: Pick<GangSum, 'why'>): string => {
  const reasons = why.slice(0, MOST_TOLD);
  const more = why.length - reasons.length;
  return [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
};

/** The Gang condition of a workload; undefined if its pods are in no groups. */
export const gangCondition = (members: readonly MemberGangs[]): GangCondition | undefined => {
  const gangMembers = members.filter(({ groups }) => groups > 0);
  if (gangMembers.length === 0) return undefined;
  const waitingMembers = gangMembers.filter((member) => member.why.length > 0);
  const [first] = waitingMembers;
  const total = (field: 'groups' | 'pods' | 'waitingPods', all: readonly MemberGangs[]) =>
    all.reduce((sum, member) => sum + member[field], 0);
  if (first === undefined) {
    const count = total('groups', gangMembers);
    const message = `${count} groups of pods in ${gangMembers.length} clusters have what they need`;
    return { type: 'Gang', status: 'True', reason: 'GangsStarted', message };
  }
  const texts = waitingMembers
    .slice(0, MOST_TOLD)
    .map(
      (member) =>
        `${member.waitingPods} of ${member.pods} in ${member.cluster}: ${whyText(member)}`,
    );
  const more = waitingMembers.length - texts.length;
  const message =
    gangMembers.length === 1
      ? `${first.waitingPods} of ${pods(first.pods)} wait for their gang in ${first.cluster}: ${whyText(first)}`
      : [
          `${total('waitingPods', waitingMembers)} of ${pods(total('pods', gangMembers))} wait for their gang; ${texts.join('; ')}`,
          ...(more > 0 ? [`and ${more} more clusters`] : []),
        ].join('; ');
  return { type: 'Gang', status: 'False', reason: 'GangsWait', message };
};
