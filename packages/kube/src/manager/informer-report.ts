import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { InformerMetrics } from '../informer/informer-metrics.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';

/** Tells of an informer's troubles in the log, and of its life in the metrics. */
export const informerReport = (
  logger: Logger,
  metrics: Metrics,
  kind: ResourceKind,
): InformerMetrics => {
  const labels = ['name'] as const;
  const name = `${apiVersionOf(kind)}/${kind.plural}`;
  const counter = (metric: string, help: string) =>
    metrics.counter({ name: `reflector_${metric}`, help, labels }).with({ name });
  const about = logger.with({ informer: name });

  const lists = counter('lists_total', 'Lists that were begun.');
  const listErrors = counter('list_errors_total', 'Lists that failed.');
  const watches = counter('watches_total', 'Watches that were begun.');
  const watchErrors = counter('watch_errors_total', 'Watches that broke.');
  const relists = counter('relists_total', 'Lists because the changes since the last were gone.');
  const events = counter('events_total', 'Changes that arrived.');
  const duration = metrics
    .histogram({ name: 'reflector_list_duration_seconds', help: 'How long a list took.', labels })
    .with({ name });
  const objects = metrics
    .gauge({ name: 'reflector_objects', help: 'Objects in the cache.', labels })
    .with({ name });
  return {
    listStarted: () => lists.increment(),
    listFinished: (tookMs) => duration.observe(tookMs / 1000),
    listFailed(error) {
      listErrors.increment();
      about.warn('cannot list; will try again', { error });
    },
    watchStarted: () => watches.increment(),
    watchEnded() {},
    watchFailed(error) {
      watchErrors.increment();
      about.info('the watch broke; will watch again', { error });
    },
    reconnected() {},
    relisted(reason) {
      relists.increment();
      about.info('listing everything again', { reason });
    },
    event: () => events.increment(),
    bookmark() {},
    duplicate() {},
    objects: (count) => objects.set(count),
    version() {},
    callbackFailed(what, error) {
      about.error(`the ${what} failed; what it should have done is missing`, { error });
    },
  };
};
