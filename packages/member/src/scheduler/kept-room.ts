/** A gang that did not fit. */
interface WaitingGang {
  readonly since: number;
  priority: number;
  lacks: ReadonlySet<string>;
  /** True when a reservation helps: unknown until it has waited long. */
  keeps: boolean;
  checkedAt: number;
  /** The pod that retries on the timer; the others need not. */
  checkedBy: string;
  checkAt: number;
}

/** The shortage that a pod of a gang found. */
interface Shortage {
  readonly pod: string;
  readonly priority: number;
  readonly lacks: ReadonlySet<string>;
}

/** A pod or a gang that wants a node. */
interface Candidate {
  /** Absent for a single pod. */
  readonly gang?: string;
  readonly priority: number;
  /** The requested resources. */
  readonly asks: ReadonlySet<string>;
}

/** Time in which smaller work may overtake a gang. */
const PATIENCE_MS = 60_000;
const CHECK_AGAIN_MS = 30_000;

/**
 * Keeps big gangs from starving behind small work. After PATIENCE_MS, no work of the same or lower priority takes the
 * resources that a gang lacks, until it has started. A gang that would not fit even after all finite work has ended
 * gets no reservation: it might block others for ever.
 */
export class KeptRoom {
  readonly #gangs = new Map<string, WaitingGang>();

  /** Records a shortage of a gang. Returns the time at which this pod should retry, if it should. */
  wait(
    gang: string,
    { pod, priority, lacks }: Shortage,
    now: number,
    waitingHelps: () => boolean,
  ): number | undefined {
    const entry = this.#gangs.get(gang) ?? {
      since: now,
      priority,
      lacks,
      keeps: false,
      checkedAt: Number.NEGATIVE_INFINITY,
      checkedBy: pod,
      checkAt: now,
    };
    this.#gangs.set(gang, entry);
    entry.priority = priority;
    entry.lacks = lacks;
    const isPatient = now - entry.since < PATIENCE_MS;
    const isFresh = now - entry.checkedAt < CHECK_AGAIN_MS;
    if (!isPatient && !isFresh) {
      entry.checkedAt = now;
      entry.keeps = waitingHelps();
    }
    if (entry.checkAt > now && entry.checkedBy !== pod) return undefined;
    entry.checkedBy = pod;
    entry.checkAt = isPatient ? entry.since + PATIENCE_MS : entry.checkedAt + CHECK_AGAIN_MS;
    return entry.checkAt - now;
  }

  /** True while resources are reserved for the gang. */
  keeps(gang: string): boolean {
    return this.#gangs.get(gang)?.keeps ?? false;
  }

  /** Ends the wait of a gang. Returns true if it waited. */
  end(gang: string): boolean {
    return this.#gangs.delete(gang);
  }

  /** The gang whose reservation blocks the candidate. */
  keeperFrom({ gang, priority, asks }: Candidate, now: number): string | undefined {
    const own = gang === undefined ? undefined : this.#gangs.get(gang);
    for (const [name, other] of this.#gangs) {
      const isFirst =
        other.priority === priority
          ? other.since < (own?.since ?? Number.POSITIVE_INFINITY)
          : other.priority > priority;
      if (other === own || !isFirst || !other.keeps) continue;
      // Its retry is long overdue: the pod in charge is gone.
      if (now - other.checkedAt > 2 * CHECK_AGAIN_MS) continue;
      if (!asks.isDisjointFrom(other.lacks)) return name;
    }
    return undefined;
  }

  clear(): void {
    this.#gangs.clear();
  }
}
