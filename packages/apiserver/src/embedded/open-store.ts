import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import type { Logger } from '@perigee/kube/observe/logger';
import type { Metrics } from '@perigee/kube/observe/metrics';
import type { HealthCheck } from '../health/probes.ts';
import { StoreRecovery } from '../health/store-recovery.ts';
import { FlushHealth } from '../store/flush-health.ts';
import { openLmdbStore } from '../store/lmdb-store.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';

export interface ServerStoreOptions {
  readonly clock: Clock;
  /** The store of the objects; it stays open when the server stops. */
  readonly store?: Store;
  /** The folder of a store on disk. Without it and without a store, everything ends with the process. */
  readonly dataFolder?: string;
}

const FLUSHES = {
  name: 'apiserver_store_flush_duration_seconds',
  help: 'How long writes of the store to its disk took.',
};

interface OpenedStore {
  readonly store: Store;
  /** Health checks of its persistence. */
  readonly checks: readonly HealthCheck[];
}

/** Opens the configured store; the stack closes it, unless the caller passed an open one. */
export const openStore = (
  { store, dataFolder, clock }: ServerStoreOptions,
  metrics: Metrics,
  logger: Logger,
  stack: AsyncDisposableStack,
): OpenedStore => {
  if (store !== undefined && dataFolder !== undefined) {
    throw new ConfigError('a server has one store: give it a store or a dataFolder, not both');
  }
  if (store !== undefined) return { store, checks: [] };
  if (dataFolder === undefined) return { store: stack.use(createMemoryStore()), checks: [] };
  const seconds = metrics.histogram(FLUSHES).with();
  const flushes = { clock, report: (durationSeconds: number) => seconds.observe(durationSeconds) };
  const health = new FlushHealth(dataFolder, (error) => {
    logger.error('the store cannot write to its disk', { error });
    recovery.begin();
  });
  const lmdbStore = stack.use(openLmdbStore({ path: dataFolder, flushes, health }));
  const recovery = stack.use(new StoreRecovery({ store: lmdbStore, health, clock, logger }));
  // A restart of the server would not help.
  const check = { name: 'storage', problem: () => health.problem(), onlyReady: true };
  return { store: lmdbStore, checks: [check] };
};
