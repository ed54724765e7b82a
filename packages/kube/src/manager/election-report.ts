import type { ElectionObserver } from '../leader-election/election-observer.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';

/** Tells of an election in the log, and in the metric that client-go has for it. */
export const electionReport = (
  logger: Logger,
  metrics: Metrics,
  name: string,
): ElectionObserver => {
  const status = metrics
    .gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads: 1 if it does, 0 if it stands by.',
      labels: ['name'],
    })
    .with({ name });
  status.set(0);
  return {
    leaderSeen(identity) {
      if (identity === '') logger.info('nobody leads', { lease: name });
      else logger.info('another process leads', { lease: name, leader: identity });
    },
    elected() {
      status.set(1);
      logger.info('leading', { lease: name });
    },
    deposed(reason) {
      status.set(0);
      logger.info('no longer leading', { lease: name, reason: reason.message });
    },
    attemptFailed(what, error) {
      logger.warn(`cannot ${what} the lease`, { lease: name, error });
    },
  };
};
