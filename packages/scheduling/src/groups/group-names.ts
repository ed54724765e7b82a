import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { controllerOf } from '@perigee/api/values/owner-references';

/** Annotations with the group of a pod; the first is the one we write. */
export const GROUP_NAME = 'scheduling.k8s.io/group-name';
const GROUP_NAMES = [GROUP_NAME, 'scheduling.volcano.sh/group-name'];

/** Annotation with the pod's task in its group. */
export const TASK = 'volcano.sh/task-spec';

const PREFIX = 'podgroup-';

/** The name of the group for an owner. */
export const groupNameFor = (ownerUid: string): string => `${PREFIX}${ownerUid}`;

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True for a name that only a group of an owner has, here or in Volcano. */
const isNameForOwner = (name: string): boolean =>
  name.startsWith(PREFIX) && UID.test(name.slice(PREFIX.length));

type Annotated = { readonly metadata: Pick<ObjectMeta, 'annotations'> };

/** The name of a pod's group, if it has one. */
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

/**
 * On a group: the spec and annotations we last applied, so that changes by others are recognised.
 */
export const APPLIED = 'groups.perigee.io/applied';

/**
 * On a group whose owner has owners itself: the topmost object, as `apiVersion kind name`. It is
 * the one that users deployed and that a control plane knows.
 */
export const WORKLOAD = 'groups.perigee.io/workload';

type NamedObject = { readonly apiVersion: string; readonly kind: string; readonly name: string };

export const workloadMark = ({ apiVersion, kind, name }: NamedObject): string =>
  `${apiVersion} ${kind} ${name}`;

/** The workload of a group: from its annotation, else its owner. */
export const workloadOfGroup = (group: Group): NamedObject | undefined => {
  const [apiVersion, kind, name, more] = (group.metadata.annotations?.[WORKLOAD] ?? '').split(' ');
  if (apiVersion && kind && name && more === undefined) return { apiVersion, kind, name };
  return controllerOf(group);
};

/** True if a group was made here and its owner was deleted with `--cascade=orphan`. */
export const isAbandoned = (group: Group): boolean =>
  group.metadata.annotations?.[APPLIED] !== undefined && controllerOf(group) === undefined;

/**
 * True if a pod that names this group may get another: the group lost its owner, or, if there is none of that name,
 * went with an owner that left the pod behind.
 */
export const isFreeGroup = (name: string, group: Group | undefined): boolean =>
  group === undefined ? isNameForOwner(name) : isAbandoned(group);

/**
 * True if a group was made for its owner, here or by Volcano, and not by a user or for a Volcano
 * Job.
 */
export const isMadeForOwner = (group: Group): boolean => {
  const owner = controllerOf(group);
  return owner === undefined ? isAbandoned(group) : group.metadata.name === groupNameFor(owner.uid);
};
