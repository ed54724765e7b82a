import { Table } from './table.ts';

/** The prefix of a name that identifies the owner, with its slash. */
const ownerOf = (name: string): string => name.slice(0, name.indexOf('/') + 1);

/** The tables of a store. Those of one cluster are found without a scan of all others. */
export class Tables {
  readonly #all = new Map<string, Table>();
  readonly #byOwner = new Map<string, Map<string, Table>>();

  get(name: string): Table | undefined {
    return this.#all.get(name);
  }

  set(name: string, table: Table): void {
    const owner = ownerOf(name);
    const own = this.#byOwner.get(owner) ?? new Map<string, Table>();
    this.#byOwner.set(owner, own.set(name, table));
    this.#all.set(name, table);
  }

  /** The table of that name, which is made unless it is there. */
  open(name: string): Table {
    const existingTable = this.#all.get(name);
    if (existingTable !== undefined) return existingTable;
    const table = new Table(0);
    this.set(name, table);
    return table;
  }

  /** Tables are added and removed with clusters and definitions. */
  forgetIdle(compacted: number): void {
    for (const [name, table] of this.#all) if (table.isIdle(compacted)) this.#delete(name);
  }

  /** Those whose name begins so. */
  *startingWith(prefix: string): Generator<readonly [name: string, table: Table]> {
    const candidates = prefix.includes('/')
      ? (this.#byOwner.get(ownerOf(prefix)) ?? [])
      : this.#all;
    for (const pair of candidates) if (pair[0].startsWith(prefix)) yield pair;
  }

  #delete(name: string): void {
    const owner = ownerOf(name);
    const own = this.#byOwner.get(owner);
    own?.delete(name);
    if (own?.size === 0) this.#byOwner.delete(owner);
    this.#all.delete(name);
  }
}
