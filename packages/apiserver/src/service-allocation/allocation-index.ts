import { RevisionError } from '../errors.ts';
import type { Registry } from '../registry/registry.ts';
import type { Entry } from '../store/store.ts';
import { type Allocation, allocationsOf } from './allocations-of.ts';

/**
 * Index of addresses and ports by service. A read takes in the changes since the last one, from the store's history
 * and from writes that are not flushed yet.
 */
export class AllocationIndex {
  readonly #store: Registry['store'];
  readonly #table: string;
  #holders = new Map<Allocation, string>();
  /** The revision of the index; none before the first read. */
  #revision: number | undefined;

  constructor({ store, cluster }: Pick<Registry, 'store' | 'cluster'>) {
    this.#store = store;
    this.#table = `${cluster}//services`;
  }

  /** A predicate for allocations that services other than this one have. */
  takenFrom(key: string): (allocation: Allocation) => boolean {
    this.#catchUp();
    const coming = new Set<Allocation>();
    for (const entry of this.#store.pending(this.#table)) {
      if (entry.key !== key)
        for (const allocation of allocationsOf(entry.object)) coming.add(allocation);
    }
    return (allocation) => {
      const holder = this.#holders.get(allocation);
      return (holder !== undefined && holder !== key) || coming.has(allocation);
    };
  }

  #catchUp(): void {
    const { revision } = this.#store;
    if (revision === this.#revision) return;
    if (this.#revision === undefined || !this.#follow(this.#revision)) this.#rebuild();
    this.#revision = revision;
  }

  /** False when the history does not reach back that far. */
  #follow(since: number): boolean {
    try {
      for (const event of this.#store.changes(this.#table, since)) {
        if (event.type !== 'ADDED') this.#remove(event.previous);
        if (event.type !== 'DELETED') this.#add(event.entry);
      }
      return true;
    } catch (error) {
      if (error instanceof RevisionError) return false;
      throw error;
    }
  }

  #rebuild(): void {
    this.#holders = new Map();
    for (const entry of this.#store.range(this.#table).entries) this.#add(entry);
  }

  #add({ key, object }: Entry): void {
    for (const allocation of allocationsOf(object)) this.#holders.set(allocation, key);
  }

  #remove({ key, object }: Entry): void {
    for (const allocation of allocationsOf(object)) {
      if (this.#holders.get(allocation) === key) this.#holders.delete(allocation);
    }
  }
}
