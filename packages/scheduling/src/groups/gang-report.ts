import type { Work } from '@perigee/api/kinds/placement/work';
import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition } from '@perigee/api/values/conditions';
import { type GangSum, whyText } from './gang-condition.ts';

type WorkGang = Pick<
  Extract<ConditionOf<'Work'>, { readonly type: 'Gang' }>,
  'type' | 'status' | 'reason' | 'message'
>;

const WAITING = /^(\d{1,9}) of (\d{1,9}) pods wait in (\d{1,9}) groups: (.{0,4000})$/s;
const STARTED = /^(\d{1,9}) pods in (\d{1,9}) groups have what they need$/;
const BETWEEN = '; ';

/** The Gang condition that an agent writes into a Work; undefined without groups. */
export const reportGangs = ({ groups, pods, waitingPods, why }: GangSum): WorkGang | undefined => {
  if (groups === 0) return undefined;
  return why.length === 0
    ? {
        type: 'Gang',
        status: 'True',
        reason: 'GangsStarted',
        message: `${pods} pods in ${groups} groups have what they need`,
      }
    : {
        type: 'Gang',
        status: 'False',
        reason: 'GangsWait',
        message: `${waitingPods} of ${pods} pods wait in ${groups} groups: ${whyText({ why })}`,
      };
};

/** Parses the Gang condition that an agent wrote; undefined if it is absent or malformed. */
export const reportedGangs = ({ status }: Pick<Work, 'status'>): GangSum | undefined => {
  const { message = '' } = findCondition(status?.conditions, 'Gang') ?? {};
  const [, waitingCount, all, groups, why = ''] = WAITING.exec(message) ?? [];
  if (waitingCount !== undefined) {
    return {
      groups: Number(groups),
      pods: Number(all),
      waitingPods: Number(waitingCount),
      why: why.split(BETWEEN),
    };
  }
  const [, pods, groupCount] = STARTED.exec(message) ?? [];
  return pods === undefined
    ? undefined
    : { groups: Number(groupCount), pods: Number(pods), waitingPods: 0, why: [] };
};
