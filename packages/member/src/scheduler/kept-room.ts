/** A gang that found too little room. */
interface WaitingGang {
  readonly since: number;
  priority: number;
  lacks: ReadonlySet<string>;
  /** Whether it would fit if it had all nodes to itself; unknown until it has waited long. */
  fitsEmpty: boolean;
  checkedAt: number;
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
 * has started. A gang that would not even fit into an empty cluster keeps nobody from anything.
 */
export class KeptRoom {
  readonly #gangs = new Map<string, WaitingGang>();

  /** The gang lacks something. The result is when to look again, if it has yet to wait. */
  wait(
    gang: string,
    { priority, lacks }: { readonly priority: number; readonly lacks: ReadonlySet<string> },
    now: number,
    fitsEmpty: () => boolean,
  ): number | undefined {
    const known = this.#gangs.get(gang) ?? {
      since: now,
      priority,
      lacks,
      fitsEmpty: false,
      checkedAt: Number.NEGATIVE_INFINITY,
    };
    this.#gangs.set(gang, known);
    known.priority = priority;
    known.lacks = lacks;
    const leftMs = known.since + PATIENCE_MS - now;
    if (leftMs > 0) return leftMs;
    if (now - known.checkedAt >= CHECK_AGAIN_MS) {
      known.checkedAt = now;
      known.fitsEmpty = fitsEmpty();
    }
    return undefined;
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
      if (other === own || !isFirst || !other.fitsEmpty) continue;
      if (now - other.since >= PATIENCE_MS && !asks.isDisjointFrom(other.lacks)) return name;
    }
    return undefined;
  }

  clear(): void {
    this.#gangs.clear();
  }
}
