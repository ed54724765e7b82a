import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, ObjectRef } from '../client/client.ts';
import { orAborted } from '../client/or-aborted.ts';
import type { Clock } from '../clock/clock.ts';
import { Deadlines, type SharedDeadline } from '../clock/deadlines.ts';
import { ApiError, isAlreadyExists, isConflict, isNotFound, NotLeaderError } from '../errors.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { InformerSet } from '../informer/informer-set.ts';
import { objectKey, refOfKey } from '../informer/object-key.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { queueMetrics } from '../queue/queue-metrics.ts';
import { type AddOptions, type WorkItem, WorkQueue } from '../queue/work-queue.ts';
import { cachesOf } from './cached-objects.ts';
import type { ControllerDefinition, ReconcileContext } from './define-controller.ts';
import { LongTurns } from './long-turns.ts';
import { type ReconcileOutcome, reconcileMetrics } from './reconcile-metrics.ts';
import { runWorkers } from './run-workers.ts';
import { LONGEST_MS, SlowObjects, type TimeTaken } from './slow-objects.ts';
import { Troubles } from './troubles.ts';

export interface ControllerEnvironment {
  readonly client: Client;
  readonly informers: InformerSet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'normal' | 'warning'>;
  /** Registry of failures; only the log by default. */
  readonly troubles?: Troubles;
}

export interface ControllerSignals {
  /** Take up no more work, and end when what runs is done. */
  readonly stop: AbortSignal;
  /** Running reconciles must end now. */
  readonly abort: AbortSignal;
}

/** An object that the controller follows is gone, and its cache does not know yet. */
const isAboutGone = (error: unknown, { name }: ObjectRef, kinds: readonly ResourceKind[]) => {
  if (!isNotFound(error) || !(error instanceof ApiError)) return false;
  const { details } = error.status;
  return details?.name === name && kinds.some(({ plural }) => plural === details?.kind);
};

/** Transient failures pass within this number of attempts. */
const MOST_PASSING = 10;

/** Failures that are normal now and then, and pass with a retry. */
const isPassing = (error: unknown, ref: ObjectRef, kinds: readonly ResourceKind[]): boolean =>
  isConflict(error) ||
  isAlreadyExists(error) ||
  isAboutGone(error, ref, kinds) ||
  error instanceof NotLeaderError;

/** Time for an aborted reconcile to notice the abort. */
const LAST_CHANCE_MS = 1_000;

/** True if time is up before the work ends, and some more passes after that. */
const isOutlasted = (
  work: Promise<void>,
  deadline: SharedDeadline,
  clock: Pick<Clock, 'timer'>,
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    let timer: Disposable | undefined;
    deadline.onEnd = () => {
      timer = clock.timer(LAST_CHANCE_MS, () => resolve(true));
    };
    const disarm = () => {
      deadline.onEnd = undefined;
      timer?.[Symbol.dispose]();
    };
    work.then(
      () => {
        disarm();
        resolve(false);
      },
      (error) => {
        disarm();
        reject(error);
      },
    );
  });

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
  const cache = cachesOf(informers, kinds, name);
  const queue = new WorkQueue<string>({
    clock,
    metrics: queueMetrics(metrics, name),
    tenantOf: (key) => definition.tenantOf(refOfKey(key), cache),
  });

  const slow = new SlowObjects(clock);
  using longTurns = new LongTurns(clock);
  const { troubles = new Troubles(clock) } = environment;
  const enqueue = (key: string, options: AddOptions): void => {
    const delayMs = Math.max(options.delayMs ?? 0, slow.restOf(key));
    queue.add(key, { ...options, delayMs });
  };

  const failed = (key: string, error: unknown, about: Logger): ReconcileOutcome => {
    const failures = queue.failures(key);
    const isOver = abort.aborted || error instanceof NotLeaderError;
    if (isOver || (isPassing(error, refOfKey(key), kinds) && failures < MOST_PASSING)) {
      about.debug('will reconcile again', { error });
      return 'requeue';
    }
    const isChange = troubles.note({ controller: name, object: key, problem: 'failing' }, error);
    about[isChange ? 'error' : 'debug']('cannot reconcile; will try again', { error, failures });
    return 'error';
  };

  const reconcile = async (
    { key, priority }: WorkItem<string>,
    signal: AbortSignal,
  ): Promise<ReconcileOutcome> => {
    const about = logger.with({ key });
    const context: ReconcileContext = { client, cache, clock, logger: about, events, signal };
    try {
      const result = await definition.reconcile(refOfKey(key), context);
      queue.forget(key);
      if (troubles.settle({ controller: name, object: key, problem: 'failing' })) {
        about.info('reconciled at last');
      }
      if (result === undefined) return 'success';
      enqueue(key, { priority, delayMs: result.requeueAfterMs });
      return 'requeue_after';
    } catch (error) {
      queue.retry(key, { priority, isPassing: isPassing(error, refOfKey(key), kinds) });
      return failed(key, error, about);
    }
  };

  const sourceFailed = (what: string, error: unknown): void => {
    measured.sourceFailed();
    const isChange = troubles.note({ controller: name, object: what, problem: 'failing' }, error);
    logger[isChange ? 'error' : 'debug']('a source failed; will try again', { what, error });
  };
  const sourceSettled = (what: string): void => {
    troubles.settle({ controller: name, object: what, problem: 'failing' });
  };

  /** An object that takes long is reported, and waits for the others before it gets another turn. */
  const weighTime = (key: string, time: TimeTaken): void => {
    const { tookMs } = time;
    const subject = { controller: name, object: key, problem: 'slow' } as const;
    if (!slow.took(key, time)) return void troubles.settle(subject);
    measured.slow();
    const restMs = slow.restOf(key);
    const message = `a reconcile took ${Math.round(tookMs)} ms; the next is in ${Math.round(restMs / 1000)} s at the earliest`;
    troubles.note(subject, message);
    logger.warn('a reconcile took long', { key, tookMs, restMs });
    const { for: kind } = definition;
    const object = kind && cache(kind).get(refOfKey(key));
    if (object !== undefined) events.warning(object, 'SlowReconcile', `${name}: ${message}`);
  };

  /** Those that go on after their deadline; their workers take up other objects meanwhile. */
  const overdue = new Set<Promise<void>>();

  const handle = async (item: WorkItem<string>, signal: AbortSignal): Promise<void> => {
    using _ = item;
    const [startedAt, busyAtStart] = [clock.monotonic(), clock.busy()];
    using observation = longTurns.observe();
    measured.started();
    const outcome = await reconcile(item, signal);
    const tookMs = clock.monotonic() - startedAt;
    measured.ended(outcome, tookMs);
    const { sawLongTurn: hadLongTurn } = observation;
    weighTime(item.key, { tookMs, busyMs: clock.busy() - busyAtStart, hadLongTurn });
  };

  const work = async (item: WorkItem<string>): Promise<void> => {
    using deadline = deadlines.start();
    const handled = handle(item, deadline.signal);
    const isLate = await isOutlasted(handled, deadline, clock);
    if (!isLate || abort.aborted) await handled;
    else {
      const about = logger.with({ key: item.key });
      failed(item.key, new Error(`a reconcile does not end, for ${LONGEST_MS} ms now`), about);
      overdue.add(handled);
      void handled.finally(() => overdue.delete(handled));
    }
  };

  using deadlines = new Deadlines(clock, LONGEST_MS, abort);
  const close = () => void queue.shutDown();
  if (stop.aborted) close();
  else stop.addEventListener('abort', close, { once: true });

  using sources = new DisposableStack();
  for (const index of definition.indexes) index.addTo(informers);
  for (const source of definition.sources) {
    // Not all controllers at the same moment.
    const resyncMs = definition.resyncMs * (1 + clock.random() / 10);
    const ask = (ref: ObjectRef, options = {}) => enqueue(objectKey(ref), options);
    const context = { informers, caches: cache, resyncMs, enqueue: ask };
    sources.use(source.start({ ...context, failed: sourceFailed, settled: sourceSettled }));
  }
  try {
    await orAborted(Promise.all(kinds.map((kind) => informers.for(kind).synced)), stop);
  } catch {
    close();
    return;
  }
  logger.info('reconciling');
  await runWorkers({ most: concurrency, take: () => queue.take(), work });
  await Promise.all(overdue);
  logger.info('stopped');
};
