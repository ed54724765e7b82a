import { isNotFound, isNotServed, UnknownKindError } from '@perigee/kube/errors';
import { isOf, withoutMarks } from '@perigee/scheduling/placement/work/member-object';
import type { MemberKind, MemberObject } from '../../members/member-view.ts';
import { type Delivery, type Manifest, memberRefOf } from './manifest-writer.ts';

const isGone = (error: unknown): boolean =>
  isNotFound(error) || isNotServed(error) || error instanceof UnknownKindError;

const remove = async (
  kind: MemberKind,
  manifest: Manifest,
  { work, view, signal }: Delivery,
): Promise<void> => {
  const ref = memberRefOf(kind, manifest);
  // Not from the cache: a new object may not be in it yet.
  const observed: MemberObject = await view.client.get(kind, ref, { signal });
  const { namespace = '', name } = work.metadata;
  if (!isOf(observed, { namespace, name })) return;
  if (work.spec.preserveResourcesOnDeletion === true) {
    const options = { fieldManager: 'perigee-execution', signal };
    await view.client.update(kind, withoutMarks(observed) as MemberObject, options);
    return;
  }
  // By default a Job would leave its pods behind.
  await view.client.delete(kind, ref, {
    propagationPolicy: 'Background',
    preconditions: { uid: observed.metadata.uid },
    signal,
  });
};

/** Deletes a manifest from a member, or releases it if the Work preserves it. Objects of other origin are not touched. */
export const removeManifest = async (manifest: Manifest, delivery: Delivery): Promise<void> => {
  const { view, signal } = delivery;
  try {
    const kind = await view.kindOf(manifest.apiVersion, manifest.kind, { signal });
    await remove(kind, manifest, delivery);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
};
