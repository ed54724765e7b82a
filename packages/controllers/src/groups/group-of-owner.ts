import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { type DesiredGroup, desiredGroup } from '@perigee/scheduling/groups/desired-group';
import { APPLIED, groupNameFor } from '@perigee/scheduling/groups/group-names';
import type { GroupOwner } from '@perigee/scheduling/groups/group-owner';
import { appliedMark, chosenMinMember, groupChange } from '@perigee/scheduling/groups/merge-group';
import { topOwner } from '@perigee/scheduling/groups/owner-chain';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { type GroupParts, whenKnown } from './group-parts.ts';

type TopOwner = ReturnType<typeof topOwner>;

/** The group that the workload of these pods wants; the owner was decided for the first pod. */
export const desiredGroupOf = async (
  { owner, owners: links }: GroupOwner,
  pods: readonly [Pod, ...Pod[]],
  { owners, interpreter }: GroupParts,
  context: Pick<ReconcileContext, 'cache' | 'signal'>,
  group?: PodGroup,
): Promise<DesiredGroup> => {
  const { namespace = '' } = pods[0].metadata;
  const { reference: top } = await whenKnown<Extract<TopOwner, { kind: 'known' }>>(
    () => topOwner(pods[0], owners.lookUpIn(namespace)),
    (reference) => owners.load(reference, namespace, context),
  );
  const workload = owners.workload(owner, namespace);
  const minMember = group && chosenMinMember(group);
  return desiredGroup({
    owner,
    ...present({ workload }),
    pods,
    owners: links,
    ...present({ top, chosenMinMember: minMember }),
    namespace: context.cache(Namespace).get({ name: namespace })?.metadata.annotations ?? {},
    interpreter,
  });
};

/** A new group for an owner. */
export const newGroup = (namespace: string, { owner }: GroupOwner, desired: DesiredGroup) => {
  const { apiVersion, kind, name, uid } = owner;
  return {
    metadata: {
      namespace,
      name: groupNameFor(uid),
      annotations: { ...desired.annotations, [APPLIED]: appliedMark(desired) },
      // Without blockOwnerDeletion, which would require a right on the owner's finalizers.
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: desired.spec,
  };
};

/** The group with the changes that its workload wants; the same object if there are none. */
export const changedGroup = (group: PodGroup, desired: DesiredGroup): PodGroup => {
  const change = groupChange(group, desired);
  if (change === undefined) return group;
  const nextGroup = {
    ...group,
    metadata: {
      ...group.metadata,
      annotations: { ...group.metadata.annotations, ...change.annotations },
    },
    spec: { ...group.spec, ...change.spec },
  } as PodGroup;
  return sameJson(nextGroup, group) ? group : nextGroup;
};
