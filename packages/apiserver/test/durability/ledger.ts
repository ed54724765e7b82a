import assert from 'node:assert/strict';
import type { JsonObject } from '@perigee/schema/json';

export interface Stored extends JsonObject {
  readonly metadata: JsonObject & { readonly name: string; readonly resourceVersion: string };
}

/** The change to an object by a request that was not answered yet. */
type Intent = { readonly write: string } | { readonly removes: true };

interface Known {
  /** The newest state that anybody was told of; after a deletion half a revision later. */
  readonly revision: number;
  readonly object: Stored | undefined;
}

export const revisionOf = ({ metadata }: Stored): number => Number(metadata.resourceVersion);

/** A mark that a write leaves in several places of an object: all of them, or none. */
export const stamp = (write: string) => ({
  metadata: { annotations: { write } },
  data: { left: write, right: write },
});

const stampsIn = ({ metadata, data }: Stored): ReadonlySet<unknown> => {
  const { write } = (metadata.annotations ?? {}) as JsonObject;
  const { left, right } = (data ?? {}) as JsonObject;
  return new Set([write, left, right]);
};

/** Everything that clients were told, held against what the server says later. Keys are paths. */
export class Ledger {
  readonly #states = new Map<number, { readonly path: string; readonly object: Stored }>();
  readonly #known = new Map<string, Known>();
  readonly #intents = new Map<string, Set<Intent>>();
  readonly #writes = new Map<string, number[]>();
  #highest = 0;
  #floor = 0;
  acknowledged = 0;

  /** Says what is about to be asked for; until it is answered, either outcome is right. */
  intend(path: string, intent: Intent): () => void {
    const intents = this.#intents.get(path) ?? new Set();
    this.#intents.set(path, intents.add(intent));
    return () => void intents.delete(intent);
  }

  /** A write was answered with the new state, or with the end of the object. */
  acknowledge(path: string, object: Stored | undefined): void {
    this.acknowledged += 1;
    if (object === undefined) {
      const { revision = 0 } = this.#known.get(path) ?? {};
      this.#learn(path, revision + 0.5, undefined);
      return;
    }
    const revision = revisionOf(object);
    assert.ok(revision > this.#floor, `${revision} was given before the crash, at ${this.#floor}`);
    this.see(path, object);
    this.#learn(path, revision, object);
    const collection = path.slice(0, path.lastIndexOf('/'));
    const writes = this.#writes.get(collection) ?? [];
    this.#writes.set(collection, writes);
    writes.push(revision);
  }

  /** An event told of a state, which is on disk then whether or not its writer knows. */
  witness(path: string, type: string, object: Stored): void {
    this.see(path, object);
    this.#learn(path, revisionOf(object), type === 'DELETED' ? undefined : object);
  }

  /** A resource version stands for one state of one object, for ever. */
  see(path: string, object: Stored): void {
    const revision = revisionOf(object);
    this.reach(revision);
    const seen = this.#states.get(revision);
    if (seen === undefined) this.#states.set(revision, { path, object });
    else assert.deepEqual({ path, object }, seen, `revision ${revision} has two states`);
  }

  reach(revision: number): void {
    this.#highest = Math.max(this.#highest, revision);
  }

  newest(path: string): Stored | undefined {
    return this.#known.get(path)?.object;
  }

  /** The revisions of acknowledged writes to a collection between two moments, in order. */
  writesBetween(collection: string, after: number, upTo: number): readonly number[] {
    const writes = this.#writes.get(collection) ?? [];
    return writes.filter((at) => at > after && at <= upTo).toSorted((a, b) => a - b);
  }

  /**
   * Compares a collection after a crash with what was told before it. `isServers` says that the server
   * writes to its objects by itself.
   */
  verify(collection: string, listed: readonly Stored[], isServers = false): void {
    const found = new Map(
      listed.map((object) => [`${collection}/${object.metadata.name}`, object]),
    );
    const paths = [...this.#known.keys(), ...this.#intents.keys(), ...found.keys()];
    for (const path of new Set(paths)) {
      if (path.slice(0, path.lastIndexOf('/')) !== collection) continue;
      const object = found.get(path);
      const intents = [...(this.#intents.get(path) ?? [])];
      const { revision = 0, object: told } = this.#known.get(path) ?? {};
      this.#intents.delete(path);
      if (object === undefined) {
        const mayBeGone = told === undefined || intents.some((intent) => 'removes' in intent);
        assert.ok(mayBeGone, `${path} of revision ${revision} is lost`);
        this.#learn(path, revision + 0.5, undefined);
        continue;
      }
      this.see(path, object);
      assert.ok(revisionOf(object) >= revision, `${path} is older than it was at ${revision}`);
      this.#learn(path, revisionOf(object), object);
      if (isServers || revisionOf(object) === revision) continue;
      const [write, ...others] = stampsIn(object);
      assert.deepEqual(others, [], `${path} is half written`);
      const isIntended = intents.some((intent) => 'write' in intent && intent.write === write);
      assert.ok(isIntended, `nobody wrote ${write} to ${path}`);
    }
  }

  /** The server began anew: what it writes from now on is later than all that anybody has seen. */
  restart(revision: number): void {
    assert.ok(revision >= this.#highest, `revision ${revision} is before ${this.#highest}`);
    this.reach(revision);
    this.#floor = revision;
  }

  #learn(path: string, revision: number, object: Stored | undefined): void {
    if (revision >= (this.#known.get(path)?.revision ?? 0)) {
      this.#known.set(path, { revision, object });
    }
  }
}
