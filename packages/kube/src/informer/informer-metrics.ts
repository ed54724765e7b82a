/** Why an informer lists again although it has a cache. */
export type RelistReason = 'expired' | 'version-too-large' | 'silence';

/** Every step in the life of an informer, for whoever counts or logs them. */
export interface InformerMetrics {
  listStarted(): void;
  listFinished(tookMs: number): void;
  listFailed(error: unknown): void;
  watchStarted(): void;
  /** The server ended it as it should. */
  watchEnded(): void;
  watchFailed(error: unknown): void;
  /** Tries again after a failure, having waited. */
  reconnected(waitedMs: number): void;
  /** The server has no changes since the last version: all is fetched. */
  relisted(reason: RelistReason): void;
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED'): void;
  bookmark(): void;
  /** An event without a change. */
  duplicate(): void;
  /** Number of objects in the cache. */
  objects(count: number): void;
  /** Up to which version the cache is known to be right. */
  version(resourceVersion: string): void;
  /** A handler, an indexer or the transform threw. */
  callbackFailed(what: 'handler' | 'indexer' | 'transform', error: unknown): void;
}
