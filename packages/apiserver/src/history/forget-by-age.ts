import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import type { Logger } from '@perigee/kube/observe/logger';
import type { Store } from '../store/store.ts';
import type { RevisionTimes } from './revision-times.ts';

export interface ForgettingOptions {
  readonly store: Store;
  readonly times: Pick<RevisionTimes, 'revisionAt'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ageMs: number;
}

/** Not a valid cluster name, so the table is out of reach of clients. */
const TABLE = '.history';
const SHORTEST_MS = 1000;

/**
 * Compacts older history periodically. Each time is itself a write, as in etcd: else an idle server would keep its
 * history for ever.
 */
export const forgetByAge = ({
  store,
  times,
  clock,
  logger,
  ageMs,
}: ForgettingOptions): Disposable => {
  if (!(ageMs >= SHORTEST_MS)) {
    throw new ConfigError(`the past has to be kept for at least ${SHORTEST_MS} ms, not ${ageMs}`);
  }
  const forget = async (): Promise<void> => {
    const revision = times.revisionAt(clock.now() - ageMs);
    if (revision !== undefined) store.compact(revision);
    await store.write(TABLE, 'compacted', () => ({ put: { revision: store.compacted } }));
  };
  const schedule = (): Disposable =>
    clock.timer(ageMs, () => {
      forget().catch((error: unknown) =>
        logger.error('the past could not be forgotten', { error }),
      );
      timer = schedule();
    });
  let timer = schedule();
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
};
