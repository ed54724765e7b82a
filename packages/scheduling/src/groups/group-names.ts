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

type Group = {
  readonly metadata: Pick<ObjectMeta, 'name' | 'ownerReferences' | 'annotations'>;
};

/** In a group: what was last written into it, so that what others changed since can be told. */
export const APPLIED = 'groups.perigee.io/applied';

/**
 * In a group whose owner was itself made by something: the object at the top, as `apiVersion kind name`. It is what
 * people deployed, and what a control plane knows.
 */
export const WORKLOAD = 'groups.perigee.io/workload';

type Named = { readonly apiVersion: string; readonly kind: string; readonly name: string };

export const workloadMark = ({ apiVersion, kind, name }: Named): string =>
  `${apiVersion} ${kind} ${name}`;

/** The workload that a group belongs to: what its mark says, or else its owner. */
export const workloadOfGroup = (group: Group): Named | undefined => {
  const [apiVersion, kind, name, more] = (group.metadata.annotations?.[WORKLOAD] ?? '').split(' ');
  if (apiVersion && kind && name && more === undefined) return { apiVersion, kind, name };
  return controllerOf(group);
};

/** Whether a group was made here, and its owner went without it, as who deletes with `--cascade=orphan` wants. */
export const isAbandoned = (group: Group): boolean =>
  group.metadata.annotations?.[APPLIED] !== undefined && controllerOf(group) === undefined;

/** Whether a group was made for its owner, here or by Volcano, rather than by a user or for a job of Volcano. */
export const isMadeForOwner = (group: Group): boolean => {
  const owner = controllerOf(group);
  return owner === undefined ? isAbandoned(group) : group.metadata.name === groupNameFor(owner.uid);
};
