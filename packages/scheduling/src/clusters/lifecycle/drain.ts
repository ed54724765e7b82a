import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { findCondition, type NewCondition } from '@perigee/api/values/conditions';

/** Work that remains on a cluster being unregistered. */
export interface RemainingWork {
  /** Such as `Deployment default/web`. */
  readonly what: string;
  readonly why: string;
  /** True if it leaves without intervention. */
  readonly isLeaving: boolean;
}

interface BoundWork {
  readonly spec: BindingSpec;
  readonly status?: BindingStatus;
}

export const titleOfBound = ({ spec: { resource } }: Pick<BoundWork, 'spec'>): string => {
  const { kind, namespace, name } = resource;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
};

const namesCluster = (list: readonly { readonly name: string }[] | undefined, cluster: string) =>
  (list ?? []).some(({ name }) => name === cluster);

/**
 * The reason why a binding remains on a cluster being unregistered.
 * @param indecision The reason why no scheduler decides about it; undefined if one does.
 */
export const remainingWork = (
  binding: BoundWork,
  cluster: string,
  indecision: string | undefined,
): RemainingWork => {
  const { spec, status } = binding;
  const what = titleOfBound(binding);
  const departure = (why: string): RemainingWork => ({ what, why, isLeaving: true });
  const obstacle = (why: string): RemainingWork => ({ what, why, isLeaving: false });
  if (!namesCluster(spec.clusters, cluster)) {
    const task = spec.gracefulEvictionTasks?.find(({ fromCluster }) => fromCluster === cluster);
    if (task?.suppressDeletion === true) {
      return obstacle('its eviction is told to keep the old copy (suppressDeletion)');
    }
    return departure(
      task === undefined
        ? 'work that needs it is still there'
        : 'it waits until its replacement is healthy',
    );
  }
  if (indecision !== undefined) return obstacle(indecision);
  const scheduledCondition = findCondition(status?.conditions, 'Scheduled');
  return scheduledCondition?.status === 'False'
    ? obstacle(`${scheduledCondition.reason}: ${scheduledCondition.message}`)
    : departure('its scheduler has not decided yet');
};

/** The number of examples in a message. */
const EXAMPLES = 3;
const MOST_LETTERS = 2048;

/** The Drained condition of a cluster that waits for its work to leave. */
export const drainedCondition = (
  workLeft: readonly RemainingWork[],
): NewCondition<'MemberCluster', 'Drained'> => {
  const stays = workLeft.filter(({ isLeaving }) => !isLeaving);
  const examples = [...stays, ...workLeft.filter(({ isLeaving }) => isLeaving)]
    .slice(0, EXAMPLES)
    .map(({ what, why }) => `${what} (${why})`);
  const more = workLeft.length > EXAMPLES ? `, and ${workLeft.length - EXAMPLES} more` : '';
  const list = `${examples.join(', ')}${more}`;
  const message =
    stays.length === 0
      ? `work leaves the cluster, ${workLeft.length} to go: ${list}`
      : `work cannot leave the cluster, which stays until it does: ${list}`;
  return {
    type: 'Drained',
    status: 'False',
    reason: stays.length === 0 ? 'WorkLeaving' : 'WorkStays',
    message: message.slice(0, MOST_LETTERS),
  };
};
