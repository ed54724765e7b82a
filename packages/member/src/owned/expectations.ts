interface Pending {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/** As long as kube-controller-manager waits for news that may have been lost. */
export const EXPECTATIONS_EXPIRE_MS = 300_000;

/**
 * What a controller did and its cache does not show yet, by the uid of the owner. Who decides again only
 * when all of it has been seen never creates or deletes more than it should.
 */
export class Expectations {
  readonly #pending = new Map<string, Pending>();

  expectCreations(owner: string, count: number, now: number): void {
    if (count > 0) this.#entry(owner, now).creations += count;
  }

  expectDeletions(owner: string, uids: Iterable<string>, now: number): void {
    for (const uid of uids) this.#entry(owner, now).deletions.add(uid);
  }

  /** One of them came, or will never come. */
  creationSettled(owner: string): void {
    const pending = this.#pending.get(owner);
    if (pending === undefined) return;
    pending.creations = Math.max(0, pending.creations - 1);
    this.#forgetIfSettled(owner, pending);
  }

  deletionSettled(owner: string, uid: string): void {
    const pending = this.#pending.get(owner);
    if (pending === undefined) return;
    pending.deletions.delete(uid);
    this.#forgetIfSettled(owner, pending);
  }

  /** Whether the cache shows everything that was done for the owner. */
  areMet(owner: string, now: number): boolean {
    const pending = this.#pending.get(owner);
    if (pending === undefined) return true;
    if (now - pending.since < EXPECTATIONS_EXPIRE_MS) return false;
    this.#pending.delete(owner);
    return true;
  }

  clear(): void {
    this.#pending.clear();
  }

  #entry(owner: string, since: number): Pending {
    const known = this.#pending.get(owner);
    if (known !== undefined) return known;
    const pending = { creations: 0, deletions: new Set<string>(), since };
    this.#pending.set(owner, pending);
    return pending;
  }

  #forgetIfSettled(owner: string, { creations, deletions }: Pending): void {
    if (creations === 0 && deletions.size === 0) this.#pending.delete(owner);
  }
}
