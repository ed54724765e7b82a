import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { ApiError, ConnectionError, isGone } from '../errors.ts';
import type { InformerMetrics } from '../informer/informer-metrics.ts';
import type { Selection } from '../informer/selection.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Troubles } from './troubles.ts';

export interface ObserveInformersOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Registry of failures, beside the log. */
  readonly troubles?: Pick<Troubles, 'note' | 'settle'>;
  /** The cluster of the informers; empty for the control plane. */
  readonly cluster?: string;
}

/** The name under which troubles of informers are reported. */
export const INFORMER = 'informer';

const LABELS = ['cluster', 'resource', 'namespace', 'selector'] as const;

/** Why something failed, in one of few words. */
const reasonOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.reason || String(error.code);
  if (error instanceof ConnectionError) return error.failure;
  return error instanceof Error ? error.name : 'unknown';
};

const familiesOf = (metrics: Metrics) => ({
  lists: metrics.counter({
    name: 'perigee_informer_lists_total',
    help: 'Lists of all objects that informers made, by outcome.',
    labels: [...LABELS, 'outcome'],
  }),
  listSeconds: metrics.histogram({
    name: 'perigee_informer_list_seconds',
    help: 'How long the lists of informers took.',
    labels: LABELS,
  }),
  watches: metrics.counter({
    name: 'perigee_informer_watches_total',
    help: 'Watches that informers opened, by outcome.',
    labels: [...LABELS, 'outcome'],
  }),
  failures: metrics.counter({
    name: 'perigee_informer_failures_total',
    help: 'Lists and watches of informers that failed, by reason.',
    labels: [...LABELS, 'step', 'reason'],
  }),
  relists: metrics.counter({
    name: 'perigee_informer_relists_total',
    help: 'How often an informer had to fetch the whole state again, by reason.',
    labels: [...LABELS, 'reason'],
  }),
  reconnects: metrics.counter({
    name: 'perigee_informer_reconnects_total',
    help: 'How often an informer tried again after a failure.',
    labels: LABELS,
  }),
  events: metrics.counter({
    name: 'perigee_informer_events_total',
    help: 'Watch events that informers received, by type; DUPLICATE are those without news.',
    labels: [...LABELS, 'type'],
  }),
  callbackFailures: metrics.counter({
    name: 'perigee_informer_callback_failures_total',
    help: 'How often a handler, an indexer or a transform threw.',
    labels: [...LABELS, 'callback'],
  }),
  objects: metrics.gauge({
    name: 'perigee_informer_objects',
    help: 'How many objects the cache of an informer holds.',
    labels: LABELS,
  }),
  version: metrics.gauge({
    name: 'perigee_informer_resource_version',
    help: 'Up to which resource version the cache of an informer is known to be right.',
    labels: LABELS,
  }),
});

/** Makes what the informers of a set report to: everything is counted, and failures are logged. */
export const observeInformers = ({
  metrics,
  logger,
  troubles,
  cluster = '',
}: ObserveInformersOptions) => {
  const families = familiesOf(metrics);
  return (kind: ResourceKind, selection: Selection): InformerMetrics => {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = selection;
    const resource = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
    const selector = [labelSelector, fieldSelector].filter((part) => part !== '').join(';');
    const labels = { cluster, resource, namespace, selector };
    const setLabels = Object.entries(labels).filter(([, value]) => value !== '');
    const log = logger.with(Object.fromEntries(setLabels));
    const events = {
      ADDED: families.events.with({ ...labels, type: 'ADDED' }),
      MODIFIED: families.events.with({ ...labels, type: 'MODIFIED' }),
      DELETED: families.events.with({ ...labels, type: 'DELETED' }),
      BOOKMARK: families.events.with({ ...labels, type: 'BOOKMARK' }),
      DUPLICATE: families.events.with({ ...labels, type: 'DUPLICATE' }),
    };
    const object = [resource, namespace, selector].filter((part) => part !== '').join(' ');
    const subject = { controller: INFORMER, object, problem: 'failing' } as const;
    const objects = families.objects.with(labels);
    const version = families.version.with(labels);
    const listSeconds = families.listSeconds.with(labels);
    const reconnects = families.reconnects.with(labels);
    const lists = (outcome: string) => families.lists.with({ ...labels, outcome }).increment();
    const watches = (outcome: string) => families.watches.with({ ...labels, outcome }).increment();
    const logFailure = (step: string, error: unknown) =>
      families.failures.with({ ...labels, step, reason: reasonOf(error) }).increment();
    return {
      listStarted: () => lists('started'),
      listFinished: (tookMs) => {
        lists('finished');
        troubles?.settle(subject);
        listSeconds.observe(tookMs / 1000);
      },
      listFailed: (error) => {
        lists('failed');
        logFailure('list', error);
        const isChange = troubles?.note(subject, error) ?? true;
        log[isChange ? 'warn' : 'debug']('cannot list; will try again', { error });
      },
      watchStarted: () => watches('started'),
      watchEnded: () => watches('ended'),
      watchFailed: (error) => {
        watches('failed');
        logFailure('watch', error);
        if (error instanceof ApiError && !isGone(error)) troubles?.note(subject, error);
        log[isGone(error) ? 'debug' : 'info']('the watch failed; will watch again', { error });
      },
      reconnected: () => reconnects.increment(),
      relisted: (reason) => {
        families.relists.with({ ...labels, reason }).increment();
        log.info('fetching the whole state again', { reason });
      },
      event: (type) => {
        events[type].increment();
        troubles?.settle(subject);
      },
      bookmark: () => {
        events.BOOKMARK.increment();
        troubles?.settle(subject);
      },
      duplicate: () => events.DUPLICATE.increment(),
      objects: (count) => objects.set(count),
      version: (resourceVersion) => version.set(Number(resourceVersion)),
      callbackFailed: (callback, error) => {
        families.callbackFailures.with({ ...labels, callback }).increment();
        const failedCall = { ...subject, object: `${callback} of ${object}` };
        const isChange = troubles?.note(failedCall, error) ?? true;
        const text = `the ${callback} failed; what it should have done is missing`;
        log[isChange ? 'error' : 'debug'](text, { error });
      },
    };
  };
};
