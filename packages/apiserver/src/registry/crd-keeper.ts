import type { JsonObject } from '@perigee/api/json';
import { removeFinalizer } from '@perigee/api/values/finalizers';
import { formatTime } from '@perigee/api/values/time';
import { namesInUse } from '../crd/accept-names.ts';
import { isCrdConditionTrue, readCrd } from '../crd/crd.ts';
import { nextCrdStatus } from '../crd/crd-status.ts';
import { CLEANUP_FINALIZER } from '../crd/crd-strategy.ts';
import { servedResources } from '../crd/served-resources.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { commit, type Decision } from './commit.ts';
import { deleteCollection } from './delete-collection.ts';
import { storedMetaOf, withMeta } from './metadata.ts';
import { type Registry, tableOf } from './registry.ts';

interface Kept {
  /** Changes when what is served has to change. */
  readonly likeness: string;
  readonly resources: readonly ServedResource[];
}

const NOTHING: Decision = { change: { keep: true }, object: {} };

const isEnding = (crd: JsonObject): boolean => storedMetaOf(crd).deletionTimestamp !== undefined;

const likenessOf = (crd: JsonObject): string => {
  const { uid, generation } = storedMetaOf(crd);
  const read = readCrd(crd);
  const isTerminating = isCrdConditionTrue(read, 'Terminating');
  return JSON.stringify([uid, generation, read.acceptedNames, isTerminating]);
};

/** Serves what CustomResourceDefinitions define, says so in their status, and cleans up after them. */
export class CrdKeeper {
  readonly #registry: Registry;
  readonly #crds: ServedResource;
  readonly #kept = new Map<string, Kept>();
  readonly #ending = new Map<string, Promise<void>>();

  constructor(registry: Registry, crds: ServedResource) {
    this.#registry = registry;
    this.#crds = crds;
  }

  /** Serves a CRD that was accepted before. */
  serve(crd: JsonObject): void {
    const { name } = storedMetaOf(crd);
    if (!isCrdConditionTrue(readCrd(crd), 'Established')) return;
    const likeness = likenessOf(crd);
    const kept = this.#kept.get(name);
    if (kept?.likeness === likeness) return;
    const resources = servedResources(crd);
    this.#withdraw(kept, resources);
    for (const resource of resources) this.#registry.resources.serve(resource);
    this.#kept.set(name, { likeness, resources });
  }

  /** Brings the status of a CRD up to date, and begins its end when it was asked for. */
  async settle(name: string, signal: AbortSignal): Promise<void> {
    const crd = await commit(this.#registry, this.#crds, { name }, (present) => {
      if (present === undefined) return NOTHING;
      const object = present.object;
      const status = this.#statusOf(object);
      if (status === object.status) return { change: { keep: true }, object };
      const next = { ...object, status };
      return { change: { put: next }, object: next };
    });
    if (crd === NOTHING.object) return;
    this.serve(crd);
    if (!isEnding(crd) || this.#ending.has(name)) return;
    const end = this.#end(name, signal).finally(() => this.#ending.delete(name));
    this.#ending.set(name, end);
    end.catch(() => {});
  }

  /** Serves no more what a CRD defined that is gone. */
  async forget(crd: JsonObject): Promise<void> {
    const { name } = storedMetaOf(crd);
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    this.#withdraw(kept, []);
    const [any] = kept?.resources ?? [];
    if (any !== undefined) await this.#registry.store.drop(tableOf(this.#registry, any));
  }

  #withdraw(kept: Kept | undefined, others: readonly ServedResource[]): void {
    for (const { group, version, plural } of kept?.resources ?? []) {
      const stays = others.some((other) => other.version === version && other.plural === plural);
      if (!stays) this.#registry.resources.withdraw({ group, version, plural });
    }
  }

  #statusOf(crd: JsonObject): JsonObject {
    const { store, clock } = this.#registry;
    const { name, group } = readCrd(crd);
    const others = store.range(tableOf(this.#registry, this.#crds)).entries;
    return nextCrdStatus(crd, {
      inUse: namesInUse(
        others.map(({ object }) => object),
        group,
        name,
      ),
      now: formatTime(clock.now()),
      ...(isEnding(crd) ? { deletion: 'in-progress' as const } : {}),
    });
  }

  /** Deletes all objects of a kind, waits until the last is gone, and lets go of the CRD. */
  async #end(name: string, signal: AbortSignal): Promise<void> {
    const { store } = this.#registry;
    const [resource] = this.#kept.get(name)?.resources ?? [];
    if (resource !== undefined) {
      const table = tableOf(this.#registry, resource);
      using changes = store.watch(table, { since: store.revision });
      signal.addEventListener('abort', () => changes[Symbol.dispose](), { once: true });
      await deleteCollection(this.#registry, resource, {});
      if (store.count(table) > 0) {
        for await (const _ of changes) if (store.count(table) === 0) break;
      }
      if (signal.aborted) return;
    }
    await commit(this.#registry, this.#crds, { name }, (present) => {
      if (present === undefined) return NOTHING;
      const meta = storedMetaOf(present.object);
      const finalizers = removeFinalizer(meta.finalizers ?? [], CLEANUP_FINALIZER);
      const object = withMeta(present.object, { ...meta, finalizers });
      return { change: finalizers.length === 0 ? { remove: true } : { put: object }, object };
    });
  }
}
