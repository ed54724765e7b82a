import assert from 'node:assert/strict';
import { list } from './api-calls.ts';
import { type Ledger, revisionOf, type Stored } from './ledger.ts';

interface Event {
  readonly type: string;
  readonly object: Stored;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Event;
  }
}

/** One who follows a collection by its watch, over all crashes, and keeps a copy of it. */
export class WatchLog {
  readonly collection: string;
  readonly #ledger: Ledger;
  #copy = new Map<string, Stored>();
  #since = 0;
  /** The first event of those that follow each other without a gap. */
  #start = 0;
  #revisions: number[] = [];
  #waiting: (() => void)[] = [];
  resumed = 0;
  expired = 0;

  constructor(collection: string, ledger: Ledger) {
    this.collection = collection;
    this.#ledger = ledger;
  }

  /** The revision up to which it has seen everything of its collection. */
  get since(): number {
    return this.#since;
  }

  /** Takes the state from a list, as a client does that begins or was told 410. */
  async rebase(url: string): Promise<void> {
    const { objects, revision } = await list(url, this.collection);
    this.#copy = new Map(objects.map((object) => [object.metadata.name, object]));
    this.#since = revision;
    this.#start = revision;
    this.#revisions = [];
  }

  /** Goes on where it was. Resolves, once the watch is open, to a promise of how it ends. */
  async follow(url: string): Promise<{ readonly end: Promise<'expired' | 'closed'> }> {
    const query = `watch=true&resourceVersion=${this.#since}&allowWatchBookmarks=true`;
    const { status, body } = await fetch(`${url}${this.collection}?${query}`);
    assert.equal(status, 200);
    assert.ok(body);
    return { end: this.#take(eventsOf(body)) };
  }

  /** Resolves when an event of the revision has come. */
  async reached(revision: number): Promise<void> {
    while (this.#since < revision) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Every acknowledged write is among the events, once and in order. */
  checkEvents(): void {
    const told = new Set(this.#revisions);
    assert.equal(told.size, this.#revisions.length, 'an event came twice');
    const written = this.#ledger.writesBetween(this.collection, this.#start, this.#since);
    assert.deepEqual(
      written.filter((revision) => !told.has(revision)),
      [],
      `${this.collection} missed events between ${this.#start} and ${this.#since}`,
    );
  }

  /** The copy is what the server has. */
  checkCopy(listed: readonly Stored[]): void {
    const byName = ([a]: [string, Stored], [b]: [string, Stored]) => (a < b ? -1 : 1);
    assert.deepEqual(
      [...this.#copy].toSorted(byName),
      listed.map((object): [string, Stored] => [object.metadata.name, object]).toSorted(byName),
    );
  }

  async #take(events: AsyncGenerator<Event>): Promise<'expired' | 'closed'> {
    try {
      for await (const event of events) {
        if (event.type === 'ERROR') {
          assert.equal((event.object as { readonly code?: unknown }).code, 410);
          return 'expired';
        }
        this.#apply(event);
      }
    } catch (error) {
      // A connection that was cut ends the stream; what was wrong with an event does not.
      if (error instanceof assert.AssertionError) throw error;
    }
    return 'closed';
  }

  #apply({ type, object }: Event): void {
    const revision = revisionOf(object);
    if (type !== 'BOOKMARK') {
      const { name } = object.metadata;
      assert.ok(revision > this.#since, `${revision} came after ${this.#since}`);
      assert.equal(this.#copy.has(name), type !== 'ADDED', `${type} of ${name}`);
      this.#ledger.witness(`${this.collection}/${name}`, type, object);
      this.#revisions.push(revision);
      if (type === 'DELETED') this.#copy.delete(name);
      else this.#copy.set(name, object);
    }
    this.#since = Math.max(this.#since, revision);
    this.#ledger.reach(revision);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
