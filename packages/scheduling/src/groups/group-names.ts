import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { controllerOf } from '@perigee/api/values/owner-references';

/** By which a pod names its group; the first is what is written. */
export const GROUP_NAME = 'scheduling.k8s.io/group-name';
const GROUP_NAMES = [GROUP_NAME, 'scheduling.volcano.sh/group-name'];

/** By which a pod names its task within the group. */
export const TASK = 'volcano.sh/task-spec';

const PREFIX = 'podgroup-';

/** The name of the group that belongs to an owner. */
export const groupNameFor = (ownerUid: string): string => `${PREFIX}${ownerUid}`;

type Annotated = { readonly metadata: Pick<ObjectMeta, 'annotations'> };

/** The name of the group that a pod is in, if it is in one. */
export const groupNameOf = ({ metadata }: Annotated): string | undefined => {
  for (const annotation of GROUP_NAMES) {
    const name = metadata.annotations?.[annotation];
    if (name) return name;
  }
  return undefined;
};

/** Whether a group was made for its owner, by us or by Volcano, rather than by a user or for a job of Volcano. */
export const isMadeForOwner = (group: {
  readonly metadata: Pick<ObjectMeta, 'name' | 'ownerReferences'>;
}): boolean => {
  const owner = controllerOf(group);
  return owner !== undefined && group.metadata.name === groupNameFor(owner.uid);
};
