import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { present } from '@perigee/schema/present';
import type { Client, ObjectRef } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Logger } from '../observe/logger.ts';
import type { CacheIndex } from './cache-index.ts';
import type { Caches } from './cached-objects.ts';
import type { Source } from './source.ts';
import { type WatchOptions, watch } from './watch.ts';

export interface ReconcileContext {
  /** Writes only while this process may. */
  readonly client: Client;
  readonly cache: Caches;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: Pick<EventRecorder, 'normal' | 'warning'>;
  /** Aborted when the work must end now. */
  readonly signal: AbortSignal;
}

/** Nothing when all is as it should be; otherwise the time of the next check though nothing changes. */
export type ReconcileResult = undefined | { readonly requeueAfterMs: number };

export interface ControllerDefinition {
  readonly name: string;
  /** The component of its events; its name by default. */
  readonly component?: string;
  /** The kind whose objects are reconciled; absent when what it reconciles is not one kind of object. */
  readonly for?: ResourceKind;
  readonly sources: readonly Source[];
  readonly indexes: readonly CacheIndex[];
  /** All kinds that it reads from caches. */
  readonly kinds: readonly ResourceKind[];
  readonly concurrency: number;
  readonly tenantOf: TenantOf;
  readonly resyncMs: number;
  readonly needsLeader: boolean;
  readonly reconcile: (ref: ObjectRef, context: ReconcileContext) => Promise<ReconcileResult>;
}

/** For whom an object is reconciled: tenants take turns. */
export type TenantOf = (ref: ObjectRef, cache: Caches) => string;

const namespaceOf: TenantOf = ({ namespace = '' }) => namespace;

/** The subject of a controller: the objects of a kind, or the refs of its sources. */
type Reconciled<T extends KubeObject> =
  | (Pick<WatchOptions<T>, 'when' | 'priority'> & {
      /** The kind whose objects are reconciled. */
      readonly for: ResourceKind<T>;
      /** Further sources. */
      readonly watches?: readonly Source[];
    })
  | {
      readonly for?: never;
      readonly when?: never;
      readonly priority?: never;
      /** The sources. The controller defines the meaning of their refs, such as one for everything. */
      readonly watches: readonly [Source, ...Source[]];
    };

export type ControllerOptions<T extends KubeObject> = Reconciled<T> & {
  /** Lower case letters, digits and dashes: it is in logs, metrics, events and `--controllers`. */
  readonly name: string;
  /** The component of its events, for users who know it by another name; its own by default. */
  readonly component?: string;
  /** Further kinds to read from caches. */
  readonly reads?: readonly ResourceKind[];
  /** Further indexes of caches. */
  readonly indexes?: readonly CacheIndex[];
  /** Number of objects that are reconciled at the same time; never one object twice. */
  readonly concurrency?: number;
  /** For whom an object is reconciled; for its namespace unless given. */
  readonly tenantOf?: TenantOf;
  /** Resync period. */
  readonly resyncMs?: number;
  /** True if only one of several processes may run it. */
  readonly needsLeader?: boolean;
  /**
   * Makes the world as the object describes it, whatever the event: it compares the state, not the
   * change, and writes only a difference. What it throws is tried again, later each time.
   */
  readonly reconcile: (ref: ObjectRef, context: ReconcileContext) => Promise<ReconcileResult>;
};

const TEN_MINUTES_MS = 600_000;

const primaryOf = <T extends KubeObject>({
  for: kind,
  when,
  priority,
}: Reconciled<T>): readonly Source[] =>
  kind === undefined
    ? []
    : [
        watch(kind, {
          resync: true,
          ...present({ when, priority }),
        }),
      ];

/**
 *     export const copier = defineController({
 *       name: 'copier',
 *       for: ConfigMap,
 *       watches: [watch(Namespace, { map: (namespace, cache) => … })],
 *       async reconcile(ref, { cache, client }) { … },
 *     });
 */
export const defineController = <T extends KubeObject>(
  options: ControllerOptions<T>,
): ControllerDefinition => {
  const { name, component, watches = [], reads = [], indexes = [] } = options;
  const { concurrency = 1, resyncMs = TEN_MINUTES_MS, needsLeader = true } = options;
  const { tenantOf = namespaceOf } = options;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw new RangeError(
      `"${name}" is no name for a controller: use lower case letters, digits and dashes`,
    );
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`the concurrency of "${name}" must be 1 or more, not ${concurrency}`);
  }
  const sources = [...primaryOf(options), ...watches];
  return {
    name,
    ...present({ component, for: options.for }),
    sources,
    indexes,
    kinds: [
      ...sources.flatMap((source) => source.kinds),
      ...reads,
      ...indexes.map(({ kind }) => kind),
    ],
    concurrency,
    tenantOf,
    resyncMs,
    needsLeader,
    reconcile: options.reconcile,
  };
};
