interface Pending {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/** Time after which missing events count as lost, as in kube-controller-manager. */
export const EXPECTATIONS_EXPIRE_MS = 300_000;

/**
 * Writes of a controller that its cache does not show yet, by the uid of the owner. A controller that waits for all of
 * them never creates or deletes too much.
 */
export class Expectations {
  readonly #pending = new Map<string, Pending>();

  expectCreations(owner: string, count: number, now: number): void {
    if (count > 0) this.#entry(owner, now).creations += count;
  }

  expectDeletions(owner: string, uids: Iterable<string>, now: number): void {
    for (const uid of uids) this.#entry(owner, now).deletions.add(uid);
  }

  /** One creation was observed, or failed. */
  creationSettled(owner: string): void {
    const expectation = this.#pending.get(owner);
    if (expectation === undefined) return;
    expectation.creations = Math.max(0, expectation.creations - 1);
    this.#forgetIfSettled(owner, expectation);
  }

  deletionSettled(owner: string, uid: string): void {
    const expectation = this.#pending.get(owner);
    if (expectation === undefined) return;
    expectation.deletions.delete(uid);
    this.#forgetIfSettled(owner, expectation);
  }

  /** True when the cache shows every write for the owner. */
  areMet(owner: string, now: number): boolean {
    const expectation = this.#pending.get(owner);
    if (expectation === undefined) return true;
    if (now - expectation.since < EXPECTATIONS_EXPIRE_MS) return false;
    this.#pending.delete(owner);
    return true;
  }

  clear(): void {
    this.#pending.clear();
  }

  #entry(owner: string, since: number): Pending {
    const existing = this.#pending.get(owner);
    if (existing !== undefined) return existing;
    const expectation = { creations: 0, deletions: new Set<string>(), since };
    this.#pending.set(owner, expectation);
    return expectation;
  }

  #forgetIfSettled(owner: string, { creations, deletions }: Pending): void {
    if (creations === 0 && deletions.size === 0) this.#pending.delete(owner);
  }
}
