import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import {
  type LabelSelectorSpec,
  labelSelectorOf,
  matchesLabels,
} from '@perigee/api/values/label-selector';
import { controllerOf, ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';

/** Objects that an owner has, should adopt, and should release. */
interface SortedByOwner<T> {
  readonly owned: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

/** Sorts objects by their labels and their controller. */
const sortByOwner = <T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelectorSpec,
  candidates: readonly T[],
): SortedByOwner<T> => {
  const labelSelector = labelSelectorOf(selector);
  const isEnding = owner.metadata.deletionTimestamp !== undefined;
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    const isMatch = matchesLabels(labelSelector, object.metadata.labels);
    const mayChange = !isEnding && object.metadata.deletionTimestamp === undefined;
    if (controller === undefined) {
      if (isMatch && mayChange) adopt.push(object);
    } else if (controller.uid === owner.metadata.uid) {
      if (isMatch) owned.push(object);
      else if (!isEnding) release.push(object);
    }
  }
  return { owned, adopt, release };
};

/** Reads the owner from the server: a stale cache may hide that it is being deleted, or was recreated. */
const mayStillAdopt = async (
  client: Client,
  kind: ResourceKind,
  owner: KubeObject,
): Promise<boolean> => {
  const { uid, deletionTimestamp } =
    (await getOrUndefined(client, kind, refOf(owner)))?.metadata ?? {};
  return uid === owner.metadata.uid && deletionTimestamp === undefined;
};

/** Adopts matching orphans, releases objects that no longer match, and returns the owned ones. */
export const adoptAndRelease = async <T extends KubeObject>(
  client: Client,
  owner: { readonly kind: ResourceKind; readonly object: KubeObject },
  selector: LabelSelectorSpec,
  kind: ResourceKind<T, WrittenObject>,
  candidates: readonly T[],
): Promise<readonly T[]> => {
  const { owned, adopt, release } = sortByOwner(owner.object, selector, candidates);
  const write = ({ metadata, ...rest }: T, ownerReferences: T['metadata']['ownerReferences']) =>
    client.update(kind, { ...rest, metadata: { ...metadata, ownerReferences } });
  await Promise.all(
    release.map((object) => {
      const { ownerReferences = [] } = object.metadata;
      return write(
        object,
        ownerReferences.filter(({ uid }) => uid !== owner.object.metadata.uid),
      );
    }),
  );
  if (adopt.length === 0 || !(await mayStillAdopt(client, owner.kind, owner.object))) return owned;
  const reference = ownerReferenceTo(owner.object, { controller: true, blockOwnerDeletion: true });
  const newlyAdopted = await Promise.all(
    adopt.map((object) => write(object, [...(object.metadata.ownerReferences ?? []), reference])),
  );
  return [...owned, ...newlyAdopted];
};
