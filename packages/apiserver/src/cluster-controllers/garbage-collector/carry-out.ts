import type { ObjectMeta, OwnerReference } from '@perigee/api/meta/object-meta';
import { removeFinalizer } from '@perigee/api/values/finalizers';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { ignoreNotFound, isNotFound } from '@perigee/kube/errors';
import { refOfKey } from '@perigee/kube/informer/object-key';
import { FOREGROUND, ORPHAN } from '../../registry/deletion-finalizers.ts';
import { storedMetaOf } from '../../registry/metadata.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import type { Entry } from '../../store/store.ts';
import type { OwnerWorld } from './owner-states.ts';
import type { OwnedObject } from './ownership-graph.ts';
import type { Verdict } from './verdict.ts';

/** An object as it is now, and how to speak of it. */
export interface Live {
  readonly resource: ServedResource;
  readonly ref: ObjectRef;
  readonly entry: Entry;
  readonly meta: ObjectMeta;
}

/** Number of concurrent patches: they share a flush, and no object waits for all of them. */
const TOGETHER = 50;

/** The live object; undefined if it is deleted, replaced by another of the name, or cannot be changed. */
export const liveObject = (
  { registry, kinds }: OwnerWorld,
  { uid, table, key }: OwnedObject,
): Live | undefined => {
  const resource = kinds.ofTable(table);
  const entry = registry.store.get(table, key);
  if (entry === undefined || !resource?.verbs.includes('delete')) return undefined;
  const meta = storedMetaOf(entry.object);
  return meta.uid === uid ? { resource, ref: refOfKey(key), entry, meta } : undefined;
};

/** Changes metadata if they are still those of the verdict. */
const change = (
  client: Client,
  { resource, ref, meta: { uid, resourceVersion } }: Live,
  metadata: object,
) =>
  client.patch(resource, ref, {
    type: 'merge',
    body: { metadata: { uid, resourceVersion, ...metadata } },
  });

const withOwners = (client: Client, live: Live, owners: readonly OwnerReference[]) =>
  change(client, live, { ownerReferences: owners.length === 0 ? null : owners });

const release = async (client: Client, live: Live, uids: readonly string[]): Promise<void> => {
  const { ownerReferences: owners = [] } = live.meta;
  const remainingOwners = owners.filter(({ uid }) => !uids.includes(uid));
  if (remainingOwners.length < owners.length) await withOwners(client, live, remainingOwners);
};

const withoutFinalizer = (client: Client, live: Live, finalizer: string) => {
  const finalizers = removeFinalizer(live.meta.finalizers, finalizer);
  return change(client, live, { finalizers: finalizers.length === 0 ? null : finalizers });
};

const unblockOwners = async (client: Client, live: Live): Promise<Live> => {
  const { ownerReferences: owners = [] } = live.meta;
  if (!owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion)) return live;
  const unblockedOwners = owners.map((owner) =>
    owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner,
  );
  return { ...live, meta: (await withOwners(client, live, unblockedOwners)).metadata };
};

const orphan = async (client: Client, world: OwnerWorld, live: Live): Promise<void> => {
  const { uid } = live.meta;
  const dependents = [...world.graph.dependentsOf(uid)];
  for (let start = 0; start < dependents.length; start += TOGETHER) {
    const some = dependents.slice(start, start + TOGETHER);
    await Promise.all(
      some.map(async (dependent) => {
        const object = liveObject(world, dependent);
        if (object === undefined) return;
        await release(client, object, [uid]).catch(ignoreNotFound);
      }),
    );
  }
  await withoutFinalizer(client, live, ORPHAN);
};

const end = async (
  client: Client,
  live: Live,
  { policy, unblock }: Extract<Verdict, { do: 'delete' }>,
): Promise<void> => {
  const { resource, ref, meta } = unblock ? await unblockOwners(client, live) : live;
  const { uid, resourceVersion } = meta;
  await client.delete(resource, ref, {
    propagationPolicy: policy,
    preconditions: { uid, resourceVersion },
  });
};

/** Executes a verdict on an object. Rejects with a conflict if the object changed since. */
export const carryOut = async (
  client: Client,
  world: OwnerWorld,
  live: Live,
  verdict: Verdict,
): Promise<void> => {
  try {
    if (verdict.do === 'orphan') await orphan(client, world, live);
    if (verdict.do === 'finish') await withoutFinalizer(client, live, FOREGROUND);
    if (verdict.do === 'unblock') await unblockOwners(client, live);
    if (verdict.do === 'release') await release(client, live, verdict.uids);
    if (verdict.do === 'delete') await end(client, live, verdict);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};
