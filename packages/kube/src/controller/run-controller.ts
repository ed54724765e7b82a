import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, ObjectRef } from '../client/client.ts';
import { orAborted } from '../client/or-aborted.ts';
import type { Clock } from '../clock/clock.ts';
import { ApiError, isAlreadyExists, isConflict, isNotFound, NotLeaderError } from '../errors.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { InformerSet } from '../informer/informer-set.ts';
import { objectKey } from '../informer/object-key.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { queueMetrics } from '../queue/queue-metrics.ts';
import { type WorkItem, WorkQueue } from '../queue/work-queue.ts';
import { cachesOf } from './cached-objects.ts';
import type { ControllerDefinition, ReconcileContext } from './define-controller.ts';
import { type ReconcileOutcome, reconcileMetrics } from './reconcile-metrics.ts';

export interface ControllerEnvironment {
  readonly client: Client;
  readonly informers: InformerSet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'normal' | 'warning'>;
}

export interface ControllerSignals {
  /** Take up no more work, and end when what runs is done. */
  readonly stop: AbortSignal;
  /** What runs must end now. */
  readonly abort: AbortSignal;
}

const refOf = (key: string): ObjectRef => {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

/** An object that the controller follows is gone, and its cache does not know yet. */
const isAboutGone = (error: unknown, { name }: ObjectRef, kinds: readonly ResourceKind[]) => {
  if (!isNotFound(error) || !(error instanceof ApiError)) return false;
  const { details } = error.status;
  return details?.name === name && kinds.some(({ plural }) => plural === details?.kind);
};

/** What is bound to happen now and then, and passes when tried again. */
const isPassing = (error: unknown, ref: ObjectRef, kinds: readonly ResourceKind[]): boolean =>
  isConflict(error) ||
  isAlreadyExists(error) ||
  isAboutGone(error, ref, kinds) ||
  error instanceof NotLeaderError;

/**
 * Runs a controller until it is stopped: waits for its caches, then reconciles whatever its sources ask
 * for. Nothing that a reconcile throws ends it.
 */
export const runController = async (
  definition: ControllerDefinition,
  { client, informers, clock, metrics, events, ...environment }: ControllerEnvironment,
  { stop, abort }: ControllerSignals,
): Promise<void> => {
  const { name, kinds, concurrency } = definition;
  const logger = environment.logger.with({ controller: name });
  const measured = reconcileMetrics(metrics, name, concurrency);
  const queue = new WorkQueue<string>({ clock, metrics: queueMetrics(metrics, name) });
  const cache = cachesOf(informers, kinds, name);

  const reconcile = async ({ key, priority }: WorkItem<string>): Promise<ReconcileOutcome> => {
    const ref = refOf(key);
    const about = logger.with({ key });
    const context: ReconcileContext = {
      client,
      cache,
      clock,
      logger: about,
      events,
      signal: abort,
    };
    try {
      const result = await definition.reconcile(ref, context);
      queue.forget(key);
      if (result === undefined) return 'success';
      queue.add(key, { priority, delayMs: result.requeueAfterMs });
      return 'requeue_after';
    } catch (error) {
      const passes = isPassing(error, ref, kinds);
      queue.retry(key, { priority, isPassing: passes });
      if (passes || abort.aborted) {
        about.debug('will reconcile again', { error });
        return 'requeue';
      }
      about.error('cannot reconcile; will try again', { error, failures: queue.failures(key) });
      return 'error';
    }
  };

  const work = async (): Promise<void> => {
    for (;;) {
      using item = await queue.take();
      if (item === undefined) return;
      const startedAt = clock.monotonic();
      measured.started();
      const outcome = await reconcile(item);
      measured.ended(outcome, clock.monotonic() - startedAt);
    }
  };

  const close = () => void queue.shutDown();
  if (stop.aborted) close();
  else stop.addEventListener('abort', close, { once: true });

  using sources = new DisposableStack();
  for (const index of definition.indexes) index.addTo(informers);
  for (const source of definition.sources) {
    const enqueue = (ref: ObjectRef, options = {}) => queue.add(objectKey(ref), options);
    // Not all controllers at the same moment.
    const resyncMs = definition.resyncMs * (1 + clock.random() / 10);
    sources.use(source.start({ informers, caches: cache, resyncMs, enqueue }));
  }
  try {
    await orAborted(Promise.all(kinds.map((kind) => informers.for(kind).synced)), stop);
  } catch {
    close();
    return;
  }
  logger.info('reconciling');
  await Promise.all(Array.from({ length: concurrency }, work));
  logger.info('stopped');
};
