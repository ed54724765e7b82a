import type { KubeObject } from '@perigee/api/meta/object-meta';
import {
  type EventType,
  type ObjectReference,
  objectReferenceTo,
} from '@perigee/kubernetes/core/event';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { EventCorrelator } from './event-correlator.ts';
import { EventWriter } from './event-writer.ts';

export interface EventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** The recording component, such as `scheduler`. */
  readonly component: string;
  /** Its instance, such as the name of the pod. */
  readonly instance?: string;
  /** Limit of Events that wait to be written; further ones are dropped. */
  readonly mostWaiting?: number;
  readonly logger?: Pick<Logger, 'warn'>;
}

/** As many as a few thousand objects bring up at once; together they take some megabytes. */
const MOST_WAITING = 20_000;

type Subject = KubeObject | ObjectReference;

const referenceTo = (subject: Subject): ObjectReference =>
  'metadata' in subject ? objectReferenceTo(subject) : subject;

/**
 * Reports to the users of an object what happened to it, as Kubernetes Events. Recording returns at once and
 * never fails, so that no reconcile waits for it or breaks by it. Disposing it writes what still waits.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #logger: Pick<Logger, 'warn'> | undefined;
  readonly #correlator: EventCorrelator;
  readonly #writer: EventWriter;
  #dropped = 0;

  constructor({ mostWaiting = MOST_WAITING, instance = '', ...options }: EventRecorderOptions) {
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#correlator = new EventCorrelator(options.clock, `${options.component}/${instance}`);
    this.#writer = new EventWriter({ ...options, instance, mostWaiting });
  }

  /** Something went as it should. */
  normal(subject: Subject, reason: string, message: string): void {
    this.#record(subject, 'Normal', reason, message);
  }

  /** Something went wrong, or will. */
  warning(subject: Subject, reason: string, message: string): void {
    this.#record(subject, 'Warning', reason, message);
  }

  /** Number of Events that were dropped for lack of room, without those of the spam filter. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Waits until everything recorded so far has been written or given up. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#writer[Symbol.asyncDispose]();
  }

  #record(subject: Subject, type: EventType, reason: string, message: string): void {
    const object = referenceTo(subject);
    const event = this.#correlator.correlate({
      object,
      type,
      reason,
      message,
      at: this.#clock.now(),
    });
    if (event === undefined || this.#writer.write(event)) return;
    this.#dropped++;
    this.#logger?.warn('no room for an event', { object, type, reason, message });
  }
}
