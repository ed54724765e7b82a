import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { isConflict } from '@perigee/kube/errors';
import type { Logger } from '@perigee/kube/observe/logger';
import type { Registry } from '../../registry/registry.ts';
import { carryOut, type Live, liveObject } from './carry-out.ts';
import { type Followed, followStore } from './follow-store.ts';
import { ownedObject } from './owned-object.ts';
import { Ownership } from './ownership.ts';

/** Retry delay after a conflict: the other write is short. */
const AFTER_CONFLICT_MS = 5;
const CONCURRENCY = 20;
/** Number of objects that are acted upon per turn of the event loop. */
const SLICE = 50;

const warn = (
  events: ReconcileContext['events'],
  { resource, ref, meta }: Live,
  { apiVersion, kind, name, uid }: OwnerReference,
): void => {
  const { namespace = '' } = ref;
  events.warning(
    { apiVersion: apiVersionOf(resource), kind: resource.kind, ...ref, uid: meta.uid },
    'OwnerRefInvalidNamespace',
    `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
  );
};

const reconcile = async (
  { ownership, complete }: Followed,
  uid: string,
  { client, events }: ReconcileContext,
): Promise<ReconcileResult> => {
  await complete;
  const node = ownership.graph.get(uid);
  const live = node && liveObject(ownership, node);
  if (node === undefined || live === undefined) return undefined;
  for (const owner of ownership.takeMisplaced(uid)) warn(events, live, owner);
  const verdict = ownership.verdict(ownedObject(node.table, live.entry));
  if (verdict.do === 'nothing') return undefined;
  try {
    await carryOut(client, ownership, live, verdict);
  } catch (error) {
    if (!isConflict(error)) throw error;
    return { requeueAfterMs: AFTER_CONFLICT_MS };
  }
  return undefined;
};

/**
 * Deletes objects without a remaining owner, and completes deletions of owners after their dependents (foreground)
 * or without them (orphan).
 */
export const garbageCollector = (registry: Registry, logger: Logger): ControllerDefinition => {
  let currentOwnership: Followed | undefined;
  let reconcileCount = 0;
  let turn: Promise<void> | undefined;
  const source: Source = {
    kinds: [],
    start: ({ enqueue }) => {
      const stop = new AbortController();
      const makeOwnership = () => new Ownership(registry, (uid) => enqueue({ name: uid }));
      const show = (next: Followed) => {
        currentOwnership = next;
      };
      followStore(registry, makeOwnership, show, stop.signal).catch((error: unknown) => {
        logger.error('cannot follow who owns whom; nothing is collected any more', { error });
      });
      return { [Symbol.dispose]: () => stop.abort() };
    },
  };
  return defineController({
    name: 'garbage-collector-controller',
    watches: [source],
    concurrency: CONCURRENCY,
    needsLeader: false,
    reconcile: async ({ name: uid }, context) => {
      if (++reconcileCount % SLICE === 0) turn = registry.clock.yield();
      await turn;
      return currentOwnership === undefined ? undefined : reconcile(currentOwnership, uid, context);
    },
  });
};
