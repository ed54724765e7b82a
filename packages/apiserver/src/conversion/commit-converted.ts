import type { JsonObject } from '@perigee/api/json';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { UnconvertedError } from '../errors.ts';
import type { CommitRequest, Decide, Decision } from '../registry/commit.ts';
import { keyOf, type Registry, tableOf } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { conflict } from '../status/object-refusals.ts';
import type { Change, Entry } from '../store/store.ts';
import type { ConversionMemo, VersionReader } from './version-reader.ts';

/** Somebody else was faster so often that they have to be told. */
const MOST_ATTEMPTS = 20;
/** Each owner of another version takes a few conversions before a write can be decided. */
const MOST_ROUNDS = 100;

interface Outlook {
  readonly seen: Entry | undefined;
  readonly decision: Decision;
}

/**
 * Carries out a decision whose objects have to be converted on their way in and out. Since that takes
 * time, it decides first, converts, and writes only if nothing has changed in the meantime; otherwise
 * it decides again.
 */
export const commitConverted = async (
  registry: Registry,
  resource: ServedResource,
  { namespace, name, dryRun = false }: CommitRequest,
  decide: Decide,
  reader: VersionReader,
  checkSize: (object: JsonObject) => void,
): Promise<JsonObject> => {
  const { store } = registry;
  const table = tableOf(registry, resource);
  const key = keyOf(namespace, name);

  /** What is to be done in the newest state, once everything that it takes to say so is converted. */
  const look = async (): Promise<Outlook> => {
    const memo: ConversionMemo = new Map();
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      let found: Outlook | UnconvertedError | undefined;
      await store.write(table, key, (seen, revision) => {
        try {
          const decision = reader.during(memo, () => decide(seen, revision));
          found = { seen, decision };
        } catch (error) {
          if (!(error instanceof UnconvertedError)) throw error;
          found = error;
        }
        return { keep: true };
      });
      if (found === undefined) throw new Error('the store decided without asking');
      if (!(found instanceof UnconvertedError)) return found;
      await reader.learn(memo, found);
    }
    throw conflict(resource, name);
  };

  /** The state after the write; undefined when the one that it was decided upon is no longer the newest. */
  const writeIfUnchanged = async (
    seen: Entry | undefined,
    change: Change,
  ): Promise<{ readonly entry: Entry | undefined } | undefined> => {
    let isUnchanged = false;
    const { entry } = await store.write(table, key, (present) => {
      isUnchanged = present?.revision === seen?.revision;
      return isUnchanged ? change : { keep: true };
    });
    return isUnchanged ? { entry } : undefined;
  };

  const stored = async (change: Change): Promise<Change> => {
    if (!('put' in change)) return change;
    const put = await reader.toStorage(change.put);
    checkSize(put);
    return { put };
  };

  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const { seen, decision } = await look();
    const change = await stored(decision.change);
    if ('keep' in change) return decision.object;
    if (dryRun) return 'put' in change ? reader.fromStorage(change.put) : decision.object;
    if ('put' in change && seen !== undefined && sameJson(change.put, seen.object)) {
      return reader.read(seen);
    }
    const written = await writeIfUnchanged(seen, change);
    if (written === undefined) continue;
    if (written.entry === undefined) return decision.object;
    await reader.convert([written.entry]);
    return reader.read(written.entry);
  }
  throw conflict(resource, name);
};
