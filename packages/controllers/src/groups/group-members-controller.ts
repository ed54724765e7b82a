import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { ensure } from '@perigee/kube/client/ensure';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { LOW_PRIORITY, type Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { type ApiError, ignoreNotFound, isForbidden, isInvalid } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { type Membership, membershipOf } from '@perigee/scheduling/groups/group-membership';
import {
  GROUP_NAME,
  groupNameOf,
  isAbandoned,
  isFreeGroup,
} from '@perigee/scheduling/groups/group-names';
import type { GroupOwner } from '@perigee/scheduling/groups/group-owner';
import { sameJson } from '@perigee/schema/same-json';
import { desiredGroupOf, newGroup } from './group-of-owner.ts';
import { GROUP_INDEX, type GroupParts, groupKeysOf, isOver, whenKnown } from './group-parts.ts';

const FIELD_MANAGER = 'perigee-pod-groups';
/** Retry interval for unreadable owners: no event reports a new right or CRD. */
const RECHECK_MS = 120_000;

type OfOwner = Extract<Membership, { kind: 'of-owner' }>;

/** Creates missing groups: each once, even if many pods need it at the same time. */
class GroupMaker {
  readonly #parts: GroupParts;
  readonly #making = new Map<string, Promise<unknown>>();

  constructor(parts: GroupParts) {
    this.#parts = parts;
  }

  /** Trusts the cache: if the group was deleted meanwhile, that event reconciles the pod again. */
  async ensure(pod: Pod, { name, decided }: OfOwner, context: ReconcileContext): Promise<void> {
    const { namespace = '' } = pod.metadata;
    if (context.cache(PodGroup).get({ namespace, name }) !== undefined) return;
    const key = objectKey({ namespace, name });
    const making = this.#making.get(key) ?? this.#make(pod, decided, context);
    this.#making.set(key, making);
    await making.finally(() => this.#making.delete(key));
  }

  async #make(pod: Pod, decided: GroupOwner, context: ReconcileContext): Promise<void> {
    const { namespace = '' } = pod.metadata;
    const desiredGroup = await desiredGroupOf(decided, [pod], this.#parts, context);
    const { client } = context;
    await ensure(client, PodGroup, newGroup(namespace, decided, desiredGroup), {
      fieldManager: FIELD_MANAGER,
    });
  }
}

const annotate = async (
  pod: Pod,
  name: string,
  { client, signal }: ReconcileContext,
): Promise<void> => {
  // The uid guards against a new pod of the same name.
  const body = { metadata: { uid: pod.metadata.uid, annotations: { [GROUP_NAME]: name } } };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await client.patch(Pod, refOf(pod), { type: 'merge', body }, options).catch(ignoreNotFound);
};

const lineageChanged = ({ metadata: a }: Pod, { metadata: b }: Pod): boolean =>
  groupNameOf({ metadata: a }) !== groupNameOf({ metadata: b }) ||
  !sameJson(a.ownerReferences, b.ownerReferences);

/** True if an owner in the chain, which a rule may match, could not be read. */
const isUncertain = ({ decided: { end } }: OfOwner): boolean =>
  end?.kind === 'unreadable' || end?.kind === 'unknown';

/** Asks the server for a group of an owner that the cache does not have: it may be a new one. */
const isFree = async (
  name: string,
  namespace: string,
  { cache, client, signal }: ReconcileContext,
): Promise<boolean> => {
  const ref = { namespace, name };
  const presentGroup = cache(PodGroup).get(ref);
  if (presentGroup !== undefined || !isFreeGroup(name, presentGroup))
    return isFreeGroup(name, presentGroup);
  return isFreeGroup(name, await getOrUndefined(client, PodGroup, ref, { signal }));
};

/** Assigns every pod of the chosen schedulers to the group of its owner, and creates missing groups. */
export const groupMembersController = (parts: GroupParts): ControllerDefinition => {
  const { owners, levels, schedulerNames } = parts;
  const maker = new GroupMaker(parts);
  const isGrouped = (pod: Pod): boolean =>
    schedulerNames.has(pod.spec.schedulerName ?? '') &&
    pod.metadata.deletionTimestamp === undefined &&
    !isOver(pod);
  const whenRulesChange: Source = {
    kinds: [Pod],
    start: ({ informers, enqueue }) => {
      owners.connect(informers);
      return levels.onChange(() => {
        for (const pod of informers.for(Pod).list()) {
          if (isGrouped(pod)) enqueue(refOf(pod), { priority: LOW_PRIORITY });
        }
      });
    },
  };
  return defineController({
    name: 'pod-group-members',
    for: Pod,
    when: (now, before) =>
      now !== undefined && isGrouped(now) && (before === undefined || lineageChanged(now, before)),
    concurrency: 16,
    reads: [Namespace],
    indexes: [index(Pod, GROUP_INDEX, groupKeysOf)],
    watches: [
      whenRulesChange,
      watch(PodGroup, {
        map: ({ metadata }, cache) =>
          cache(Pod).byIndex(GROUP_INDEX, objectKey(metadata)).filter(isGrouped).map(refOf),
        when: (now, before) =>
          now === undefined || (before !== undefined && isAbandoned(now) && !isAbandoned(before)),
      }),
    ],
    reconcile: async (ref, context) => {
      const pod = context.cache(Pod).get(ref);
      if (pod === undefined || !isGrouped(pod) || levels.current === undefined) return undefined;
      const { namespace = '' } = pod.metadata;
      const lookUp = owners.lookUpIn(namespace);
      const rules = levels.current;
      const decide = (mayLeave: boolean) =>
        whenKnown<Exclude<Membership, { kind: 'pending' }>>(
          () => membershipOf(pod, rules, lookUp, mayLeave),
          (reference) => owners.load(reference, namespace, context),
        );
      let membership = await decide(false);
      if (membership.kind === 'chosen' && (await isFree(membership.name, namespace, context))) {
        membership = await decide(true);
      }
      if (membership.kind === 'chosen') return undefined;
      const isOther = groupNameOf(pod) !== undefined && !membership.isIn;
      if (isOther && !levels.areKnown) return undefined;
      try {
        await maker.ensure(pod, membership, context);
        if (!membership.isIn) await annotate(pod, membership.name, context);
      } catch (error) {
        if (isInvalid(error) || isForbidden(error)) {
          context.events.warning(
            pod,
            'NotGrouped',
            `${membership.name}: ${(error as ApiError).message}`,
          );
        }
        throw error;
      }
      return isUncertain(membership) ? { requeueAfterMs: RECHECK_MS } : undefined;
    },
  });
};
