import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { NewCondition } from '@perigee/api/values/conditions';
import { SLACK } from './sharding.ts';
import type { ShardingName } from './sharding-by-name.ts';

export const HOME_SCHEDULER = 'HomeScheduler';

/** The HomeScheduler condition of a cluster, with its reason. */
export type HomeCondition = NewCondition<'ClusterRecord', typeof HOME_SCHEDULER>;

/** The weight of each scheduler, and the cap. */
export interface Loads {
  readonly of: (scheduler: string) => number;
  readonly cap: number;
}

/** The weight of each scheduler under an assignment, and the cap. */
export const loadsOf = (
  members: readonly { readonly name: string; readonly weight: number }[],
  homes: ReadonlyMap<string, string>,
  active: number,
): Loads => {
  const loads = new Map<string, number>();
  let all = 0;
  for (const { name, weight } of members) {
    const home = homes.get(name) ?? '';
    loads.set(home, (loads.get(home) ?? 0) + weight);
    all += weight;
  }
  return { of: (name) => loads.get(name) ?? 0, cap: (all / Math.max(1, active)) * (1 + SLACK) };
};

export interface HomeFacts {
  readonly cluster: ClusterRecord;
  readonly home?: string;
  readonly weight: number;
  readonly schedulers: ReadonlyMap<string, Scheduler>;
  readonly loads: Loads;
  readonly sharding: ShardingName;
}

const isActive = (scheduler: Scheduler | undefined): boolean =>
  scheduler?.status?.phase === 'Active' && scheduler.metadata.deletionTimestamp === undefined;

const stateOf = ({ metadata, status }: Scheduler): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Draining';

const condition = (reason: HomeCondition['reason'], message: string): HomeCondition => ({
  type: HOME_SCHEDULER,
  status: reason === 'HomeAsWished' ? 'True' : 'False',
  reason,
  message,
});

const whyNotRequested = (facts: HomeFacts, requestedHome: string): HomeCondition => {
  const { cluster, home, weight, schedulers, loads, sharding } = facts;
  const now = home === undefined ? 'nobody has it' : `${home} has it`;
  const requestedScheduler = schedulers.get(requestedHome);
  if (requestedScheduler === undefined) {
    return condition(
      'NoSuchScheduler',
      `there is no scheduler ${requestedHome}; until there is, ${now}`,
    );
  }
  if (!isActive(requestedScheduler)) {
    return condition(
      'SchedulerNotActive',
      `the scheduler ${requestedHome} is ${stateOf(requestedScheduler)}; ${now}`,
    );
  }
  if (sharding !== 'sticky-geo') {
    return condition('WishNotCounted', `the sharding ${sharding} knows no wishes; ${now}`);
  }
  if (loads.of(requestedHome) + weight > loads.cap) {
    return condition(
      'SchedulerFull',
      `with ${cluster.metadata.name}, ${requestedHome} would have more than its share; ${now}`,
    );
  }
  return condition(
    'HomeKept',
    `it had a home when ${requestedHome} was wished for or came, and a cluster stays where it is; ${now}`,
  );
};

/**
 * Reports whether a requested home was granted, or why not; undefined if there is nothing to
 * report.
 */
export const homeCondition = (facts: HomeFacts): HomeCondition | undefined => {
  const { cluster, home, schedulers } = facts;
  const { homeScheduler: requestedHome = '' } = cluster.spec;
  if (requestedHome !== '' && requestedHome === home) {
    return condition('HomeAsWished', `the scheduler ${requestedHome} was wished for`);
  }
  if (requestedHome !== '' && schedulers.size > 0) return whyNotRequested(facts, requestedHome);
  if (home !== undefined || schedulers.size === 0) return undefined;
  return condition('NoActiveScheduler', 'no scheduler is active that could have it');
};
