/**
 * A subscriber to changes. The calls come one after another, in the order of the changes, when
 * the cache already has them. Errors of a handler are reported and otherwise ignored,
 * so work that must succeed belongs in a queue.
 */
export interface InformerHandler<T> {
  /** `initial`: the object was there before the handler, or before the informer, began. */
  onAdd?(object: T, about: { readonly initial: boolean }): void | Promise<void>;
  /** At a resync both are the same object. */
  onUpdate?(object: T, old: T): void | Promise<void>;
  /** `lastKnown`: the deletion went unseen, so this may not be the object's final state. */
  onDelete?(object: T, about: { readonly lastKnown: boolean }): void | Promise<void>;
}
