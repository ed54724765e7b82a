import assert from 'node:assert/strict';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Informer } from '../../src/informer/informer.ts';
import type { InformerHandler } from '../../src/informer/informer-handler.ts';
import { objectKey } from '../../src/informer/object-key.ts';

const versionOf = (object: KubeObject): number => Number(object.metadata.resourceVersion);

/**
 * A handler that holds every call against the history it was told before: objects are added,
 * updated and deleted in that order, old objects are the ones that were new before, versions rise,
 * and the cache is never behind. What is wrong is kept, because an informer ignores what handlers throw.
 */
export class HistoryCheck<T extends KubeObject> implements InformerHandler<T> {
  readonly problems: string[] = [];
  readonly #informer: Informer<T>;
  readonly #present = new Map<string, T>();
  readonly #latest = new Map<string, number>();

  constructor(informer: Informer<T>) {
    this.#informer = informer;
  }

  /** The state that follows from what was told. */
  get state(): ReadonlyMap<string, T> {
    return this.#present;
  }

  onAdd(object: T): void {
    this.#check('add', object, (key) => {
      assert.equal(this.#present.get(key), undefined, 'it is there already');
      assert.ok(versionOf(object) > (this.#latest.get(key) ?? 0), 'its version does not rise');
      assert.equal(this.#informer.get(object.metadata), object, 'the cache does not have it');
      this.#present.set(key, object);
    });
  }

  onUpdate(object: T, old: T): void {
    this.#check('update', object, (key) => {
      assert.equal(this.#present.get(key), old, 'the old object is not the one told before');
      assert.equal(old.metadata.uid, object.metadata.uid, 'it became another object');
      assert.ok(versionOf(object) > (this.#latest.get(key) ?? 0), 'its version does not rise');
      assert.equal(this.#informer.get(object.metadata), object, 'the cache does not have it');
      this.#present.set(key, object);
    });
  }

  onDelete(object: T, { lastKnown }: { readonly lastKnown: boolean }): void {
    this.#check('delete', object, (key) => {
      const before = this.#present.get(key);
      assert.equal(before?.metadata.uid, object.metadata.uid, 'it was not there');
      if (lastKnown) assert.equal(object, before, 'it is not the last known object');
      else assert.ok(versionOf(object) > (this.#latest.get(key) ?? 0), 'its version does not rise');
      assert.equal(this.#informer.get(object.metadata), undefined, 'the cache still has it');
      this.#present.delete(key);
    });
  }

  #check(what: string, object: T, check: (key: string) => void): void {
    const key = objectKey(object.metadata);
    try {
      check(key);
    } catch (error) {
      this.problems.push(`${what} of ${key}@${versionOf(object)}: ${(error as Error).message}`);
    }
    this.#latest.set(key, Math.max(versionOf(object), this.#latest.get(key) ?? 0));
  }
}
