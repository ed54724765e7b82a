import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import type { Clock } from '../clock/clock.ts';

/** Something that a controller cannot do, or that takes it very long. */
export interface Trouble {
  readonly controller: string;
  /** The object, such as `default/web`; empty for the controller as a whole. */
  readonly object: string;
  /** Of several servers in one process, whose controller it is; absent for the control plane's own. */
  readonly cluster?: string;
  readonly problem: 'failing' | 'slow';
  readonly message: string;
  /** Number of failures in a row. */
  readonly times: number;
  /** When it happened for the first time. */
  readonly since: string;
}

type Subject = Pick<Trouble, 'controller' | 'object' | 'problem'>;

const LONGEST_MESSAGE = 500;
/** One cause may fail very many objects. */
const MOST_KEPT = 1_000;

const keyOf = ({ controller, object, problem }: Subject): string =>
  [controller, object, problem].join('\n');

const brief = (text: string): string =>
  text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;

const messageOf = (error: unknown): string => {
  try {
    return brief(error instanceof Error ? error.message : String(error));
  } catch {
    return 'something that cannot be put into words';
  }
};

/** The present failures of the controllers of a process. */
export class Troubles {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #cluster: string | undefined;
  readonly #troubles: Map<string, Trouble>;
  #uncounted = 0;

  constructor(clock: Pick<Clock, 'now'>, cluster?: string, troubles = new Map<string, Trouble>()) {
    this.#clock = clock;
    this.#cluster = cluster;
    this.#troubles = troubles;
  }

  /** The same list, for the controllers of another server. */
  of(cluster: string): Troubles {
    return new Troubles(this.#clock, cluster, this.#troubles);
  }

  /** Takes note of it. Returns true the first time, and for another reason than before. */
  note(subject: Subject, error: unknown): boolean {
    const key = this.#keyOf(subject);
    const existing = this.#troubles.get(key);
    const message = messageOf(error);
    if (existing === undefined && this.#troubles.size >= MOST_KEPT) {
      this.#uncounted += 1;
      return true;
    }
    const { times = 0, since = formatTime(this.#clock.now()) } = existing ?? {};
    const cluster = present({ cluster: this.#cluster });
    const { controller, object, problem } = subject;
    const trouble = { controller, object, ...cluster, problem, message, since };
    this.#troubles.set(key, { ...trouble, times: times + 1 });
    return existing?.message !== message;
  }

  /** It is over. Returns whether there was any. */
  settle(subject: Subject): boolean {
    if (this.#troubles.size === 0) return false;
    return this.#troubles.delete(this.#keyOf(subject));
  }

  /** Forgets everything about the controllers, which have ended. */
  end(controllers: ReadonlySet<string>): void {
    for (const [key, { cluster, controller }] of this.#troubles) {
      if (cluster === this.#cluster && controllers.has(controller)) this.#troubles.delete(key);
    }
  }

  /** The oldest first. */
  list(): readonly Trouble[] {
    return [...this.#troubles.values()];
  }

  /** Number of failures that were dropped for lack of room. */
  get uncounted(): number {
    return this.#uncounted;
  }

  #keyOf(subject: Subject): string {
    return `${this.#cluster ?? ''}\n${keyOf(subject)}`;
  }
}
