import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ObjectRef } from '../client/client.ts';
import { refOf } from '../client/ref-of.ts';
import type { InformerHandler } from '../informer/informer-handler.ts';
import type { Caches } from './cached-objects.ts';
import { LOW_PRIORITY, type Source, type SourceContext } from './source.ts';

export interface WatchOptions<T> {
  /** Maps a changed object to the refs to reconcile; to itself by default. */
  readonly map?: (object: T, caches: Caches) => Iterable<ObjectRef>;
  /** True if a change matters. There is no `before` when the object is new, no `now` when it is gone. */
  readonly when?: (now: T | undefined, before: T | undefined) => boolean;
  /** Priority of the object among others of its kind; higher goes first, 0 by default. */
  readonly priority?: (object: T) => number;
  /**
   * True if what is there at the start counts as a change; it does by default. A controller
   * reconciles all objects of its own kind at the start anyway.
   */
  readonly atStart?: boolean;
  /** Reconciles everything again from time to time, in case a change was missed. */
  readonly resync?: boolean;
}

const handlerOf = <T extends KubeObject>(
  options: WatchOptions<T>,
  { enqueue, caches }: SourceContext,
): InformerHandler<T> => {
  const { map = (object) => [refOf(object)], priority = () => 0 } = options;
  const isAboutItself = options.map === undefined && options.priority === undefined;
  const { when = () => true, atStart = true } = options;
  const enqueueFor = (objects: readonly T[], base: number) => {
    for (const object of objects) {
      const options = { priority: base + priority(object) };
      for (const ref of map(object, caches)) enqueue(ref, options);
    }
  };
  return {
    onAdd: (object, { initial }) => {
      if (initial && !atStart) return;
      if (when(object, undefined)) enqueueFor([object], initial ? LOW_PRIORITY : 0);
    },
    onUpdate: (object, old) => {
      if (object === old) enqueueFor([object], LOW_PRIORITY);
      // Refs that the old object mapped to may need a change, too.
      else if (when(object, old)) enqueueFor(isAboutItself ? [object] : [old, object], 0);
    },
    onDelete: (object) => {
      if (when(undefined, object)) enqueueFor([object], 0);
    },
  };
};

/** Reconciles something whenever an object of the kind changes. */
export const watch = <T extends KubeObject>(
  kind: ResourceKind<T>,
  options: WatchOptions<T> = {},
): Source => ({
  kinds: [kind],
  start: (context) =>
    context.informers
      .for(kind)
      .addHandler(
        handlerOf(options, context),
        options.resync ? { resyncMs: context.resyncMs } : {},
      ),
});
