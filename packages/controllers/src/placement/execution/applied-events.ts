import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { ObjectReference } from '@perigee/kubernetes/core/event';

/** Gathering time: the clusters of a workload get it at about the same time. */
const GATHER_MS = 500;
/** Maximum number of clusters named in a message. */
const MOST_NAMED = 20;

interface Series {
  readonly subject: ObjectReference;
  readonly clusters: Set<string>;
}

type Recorder = ReconcileContext['events'];
type Reporter = Pick<ReconcileContext, 'clock' | 'events'>;

const keyOf = ({ apiVersion, kind, namespace, name, uid }: ObjectReference): string =>
  JSON.stringify([apiVersion, kind, namespace, name, uid]);

const namesText = (clusters: readonly string[]): string => {
  const firstNames = clusters.slice(0, MOST_NAMED).join(', ');
  const othersCount = clusters.length - MOST_NAMED;
  return othersCount > 0 ? `${firstNames} and ${othersCount} more` : firstNames;
};

/**
 * Writes Events on a template about the clusters that got it: one Event for all of a moment, since thirty clusters
 * would otherwise exhaust the rate limit of Events about one object.
 */
export class AppliedEvents implements Disposable {
  readonly #series = new Map<string, Series>();
  #notify: (() => void) | undefined;
  #timer: Disposable | undefined;

  note(subject: ObjectReference, cluster: string, { clock, events }: Reporter): void {
    const key = keyOf(subject);
    const series = this.#series.get(key) ?? { subject, clusters: new Set() };
    series.clusters.add(cluster);
    this.#series.set(key, series);
    this.#notify = () => this.#tellAll(events);
    this.#timer ??= clock.timer(GATHER_MS, this.#notify);
  }

  /** Flushes the gathered Events. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#notify?.();
  }

  #tellAll(events: Recorder): void {
    this.#timer = undefined;
    for (const { subject, clusters } of this.#series.values()) {
      const { namespace, name = '' } = subject;
      const what = objectKey(namespace === undefined ? { name } : { namespace, name });
      const message = `Successfully applied resource(${what}) to cluster ${namesText([...clusters].sort())}`;
      events.normal(subject, 'SyncSucceed', message);
    }
    this.#series.clear();
  }
}
