/** A gang that found too little room. */
interface WaitingGang {
  readonly since: number;
  priority: number;
  lacks: ReadonlySet<string>;
  /** Whether waiting helps it: unknown until it has waited long. */
  keeps: boolean;
  checkedAt: number;
  /** The pod that looks again then; the others need not. */
  looker: string;
  lookAt: number;
}

/** What a gang lacks, as one of its pods found. */
interface Shortage {
  readonly pod: string;
  readonly priority: number;
  readonly lacks: ReadonlySet<string>;
}

/** What wants a node: a pod, or a gang. */
interface Candidate {
  /** The gang, if it is one. */
  readonly gang?: string;
  readonly priority: number;
  /** The resources that it asks for. */
  readonly asks: ReadonlySet<string>;
}

/** So long others may go first. */
const PATIENCE_MS = 60_000;
const CHECK_AGAIN_MS = 30_000;

/**
 * Keeps big gangs from starving behind small work: as long as a gang has waited for a short time, whatever
 * fits goes before it. After that nothing of the same or lower priority takes what the gang lacks, until it
 * has started. A gang that would not fit when all work that ends by itself has ended keeps nobody from anything:
 * what it waits for may never come.
 */
export class KeptRoom {
  readonly #gangs = new Map<string, WaitingGang>();

  /** The gang lacks something. The result is when this pod of it should look again, if it should. */
  wait(
    gang: string,
    { pod, priority, lacks }: Shortage,
    now: number,
    waitingHelps: () => boolean,
  ): number | undefined {
    const known = this.#gangs.get(gang) ?? {
      since: now,
      priority,
      lacks,
      keeps: false,
      checkedAt: Number.NEGATIVE_INFINITY,
      looker: pod,
      lookAt: now,
    };
    this.#gangs.set(gang, known);
    known.priority = priority;
    known.lacks = lacks;
    const isPatient = now - known.since < PATIENCE_MS;
    const isFresh = now - known.checkedAt < CHECK_AGAIN_MS;
    if (!isPatient && !isFresh) {
      known.checkedAt = now;
      known.keeps = waitingHelps();
    }
    if (known.lookAt > now && known.looker !== pod) return undefined;
    known.looker = pod;
    known.lookAt = isPatient ? known.since + PATIENCE_MS : known.checkedAt + CHECK_AGAIN_MS;
    return known.lookAt - now;
  }

  /** Whether room is kept for the gang. */
  keeps(gang: string): boolean {
    return this.#gangs.get(gang)?.keeps ?? false;
  }

  /** The gang waits no longer. Whether it did. */
  end(gang: string): boolean {
    return this.#gangs.delete(gang);
  }

  /** The gang for which the room is kept that the candidate asks for. */
  keeperFrom({ gang, priority, asks }: Candidate, now: number): string | undefined {
    const own = gang === undefined ? undefined : this.#gangs.get(gang);
    for (const [name, other] of this.#gangs) {
      const isFirst =
        other.priority === priority
          ? other.since < (own?.since ?? Number.POSITIVE_INFINITY)
          : other.priority > priority;
      if (other === own || !isFirst || !other.keeps) continue;
      // Nobody looked after it for so long: the pod that should have is gone.
      if (now - other.checkedAt > 2 * CHECK_AGAIN_MS) continue;
      if (!asks.isDisjointFrom(other.lacks)) return name;
    }
    return undefined;
  }

  clear(): void {
    this.#gangs.clear();
  }
}
