import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ObjectRef } from '../client/client.ts';
import type { InformerSet } from '../informer/informer-set.ts';
import type { AddOptions } from '../queue/work-queue.ts';
import type { Caches } from './cached-objects.ts';

/** For what was there before the controller, and for resyncs. */
export const LOW_PRIORITY = -100;

export interface SourceContext {
  readonly informers: InformerSet;
  readonly caches: Caches;
  /** Resync period. */
  readonly resyncMs: number;
  /** Asks for a reconcile. */
  enqueue(ref: ObjectRef, options?: AddOptions): void;
  /** Reports that the source cannot do something, such as to watch a kind; again at every attempt. */
  failed(what: string, error: unknown): void;
  /** Reports that it can now. */
  settled(what: string): void;
}

/** A source of refs to reconcile. */
export interface Source {
  /** The kinds whose caches must be full before the controller begins. */
  readonly kinds: readonly ResourceKind[];
  /** Asks for what is there already and for what changes, until it is disposed. */
  start(context: SourceContext): Disposable;
}
