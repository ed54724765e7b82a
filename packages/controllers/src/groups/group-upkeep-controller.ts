import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { controllerOf } from '@perigee/api/values/owner-references';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { LOW_PRIORITY, type Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound, isConflict } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { GroupLevels } from '@perigee/scheduling/groups/group-levels';
import { groupNameFor, groupNameOf, isMadeForOwner } from '@perigee/scheduling/groups/group-names';
import { type GroupOwner, groupOwnerOf } from '@perigee/scheduling/groups/group-owner';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { changedGroup, desiredGroupOf } from './group-of-owner.ts';
import {
  GROUP_INDEX,
  type GroupParts,
  groupKeysOf,
  groupRefOf,
  isOver,
  spokesmanOf,
  whenKnown,
} from './group-parts.ts';

const FIELD_MANAGER = 'perigee-pod-groups';
const BY_CONTROLLER = 'controller-uid';
/** A group without pods is deleted after this time; a workload may need that long to replace its only pod. */
const EMPTY_MS = 10_000;
/** Maximum number of foreign pods that are examined: any pod can name a group. */
const MOST_STRANGERS = 8;

const podsOf = (group: PodGroup, { cache }: Pick<ReconcileContext, 'cache'>): readonly Pod[] =>
  cache(Pod).byIndex(GROUP_INDEX, objectKey(group.metadata));

const membersChanged = (now: Pod | undefined, before: Pod | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  groupNameOf(now) !== groupNameOf(before) ||
  isOver(now) !== isOver(before) ||
  !sameJson(now.metadata.annotations, before.metadata.annotations);

const settingsChanged = (now: PodGroup | undefined, before: PodGroup | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  !sameJson(now.spec, before.spec) ||
  !sameJson(now.metadata, { ...before.metadata, ...versionOf(now) });

const versionOf = ({ metadata: { resourceVersion, generation } }: PodGroup) => ({
  resourceVersion,
  ...present({ generation }),
});

/** Updates groups to the settings of their workloads, and deletes unused ones. */
export const groupUpkeepController = (parts: GroupParts): ControllerDefinition => {
  const { owners, levels } = parts;
  /** Monotonic times at which groups lost their last pod, by key. */
  const emptySince = new Map<string, number>();

  const whenOwnersChange: Source = {
    kinds: [Pod],
    start: ({ informers, enqueue }) => {
      owners.connect(informers);
      const pods = informers.for(Pod);
      const recheck = ({ metadata: { uid, namespace } }: KubeObject): void => {
        if (namespace !== undefined) enqueue({ namespace, name: groupNameFor(uid) });
        const groups = new Map(
          pods.byIndex(BY_CONTROLLER, uid).flatMap((pod) => {
            const [ref] = groupRefOf(pod);
            return ref === undefined ? [] : [[ref.name, ref] as const];
          }),
        );
        for (const ref of groups.values()) enqueue(ref);
      };
      return owners.onChange(recheck);
    },
  };

  /** Without rules nothing is known of a group, so that all are checked once the rules have been read. */
  const whenRulesChange: Source = {
    kinds: [PodGroup],
    start: ({ informers, enqueue }) =>
      levels.onChange(() => {
        for (const group of informers.for(PodGroup).list()) {
          enqueue(refOf(group), { priority: LOW_PRIORITY });
        }
      }),
  };

  const removeWhenEmpty = async (
    group: PodGroup,
    { client, clock, signal }: ReconcileContext,
  ): Promise<ReconcileResult> => {
    const { uid, resourceVersion } = group.metadata;
    const key = objectKey(group.metadata);
    const since = emptySince.get(key) ?? clock.monotonic();
    emptySince.set(key, since);
    const leftMs = since + EMPTY_MS - clock.monotonic();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const preconditions = { uid, resourceVersion };
    await client.delete(PodGroup, refOf(group), { preconditions, signal }).catch(ignoreNotFound);
    return undefined;
  };

  /** The pod that represents a group, with its owner. Pods of other owners that name the group are skipped. */
  const spokesmanFor = async (
    group: PodGroup,
    pods: readonly Pod[],
    rules: GroupLevels,
    context: ReconcileContext,
  ): Promise<{ readonly spokesman: Pod; readonly decided: GroupOwner } | undefined> => {
    const { namespace = '' } = group.metadata;
    let candidates = pods;
    for (let tries = 0; tries < MOST_STRANGERS; tries++) {
      const spokesman = spokesmanOf(candidates);
      if (spokesman === undefined) return undefined;
      const decided = await whenKnown<GroupOwner>(
        () => groupOwnerOf(spokesman, rules, owners.lookUpIn(namespace)),
        (reference) => owners.load(reference, namespace, context),
      );
      if (decided.owner.uid === controllerOf(group)?.uid) return { spokesman, decided };
      const otherOwner = controllerOf(spokesman)?.uid;
      candidates = candidates.filter(
        (pod) => pod !== spokesman && (!otherOwner || controllerOf(pod)?.uid !== otherOwner),
      );
    }
    return undefined;
  };

  const bringUpToDate = async (
    group: PodGroup,
    pods: readonly Pod[],
    context: ReconcileContext,
  ): Promise<void> => {
    const rules = levels.current;
    if (rules === undefined) return;
    const choice = await spokesmanFor(group, pods, rules, context);
    // Its pods are moving to another group, or a user put all of them into this one.
    if (choice === undefined) return;
    const { spokesman, decided } = choice;
    const others = pods.filter((pod) => pod !== spokesman);
    const desiredGroup = await desiredGroupOf(
      decided,
      [spokesman, ...others],
      parts,
      context,
      group,
    );
    const nextGroup = changedGroup(group, desiredGroup);
    if (nextGroup === group) return;
    const { client, signal } = context;
    await client.update(PodGroup, nextGroup, { fieldManager: FIELD_MANAGER, signal });
  };

  return defineController({
    name: 'pod-group-upkeep',
    for: PodGroup,
    when: settingsChanged,
    concurrency: 8,
    indexes: [
      index(Pod, GROUP_INDEX, groupKeysOf),
      index(Pod, BY_CONTROLLER, (pod) => {
        const owner = controllerOf(pod);
        return owner === undefined ? [] : [owner.uid];
      }),
    ],
    watches: [
      whenOwnersChange,
      whenRulesChange,
      watch(Pod, { map: groupRefOf, when: membersChanged }),
      watch(Namespace, {
        map: ({ metadata }, cache) => cache(PodGroup).listNamespace(metadata.name).map(refOf),
        when: (now, before) => !sameJson(now?.metadata.annotations, before?.metadata.annotations),
        atStart: false,
      }),
    ],
    reconcile: async (ref, context) => {
      const group = context.cache(PodGroup).get(ref);
      if (group === undefined || group.metadata.deletionTimestamp !== undefined) {
        emptySince.delete(objectKey(ref));
        return undefined;
      }
      if (!isMadeForOwner(group)) return undefined;
      const pods = podsOf(group, context);
      if (pods.length === 0) return removeWhenEmpty(group, context);
      emptySince.delete(objectKey(ref));
      try {
        await bringUpToDate(group, pods, context);
      } catch (error) {
        // After a conflict: status-only changes cause no reconcile, so requeue.
        if (isConflict(error)) return { requeueAfterMs: 100 };
        throw error;
      }
      return undefined;
    },
  });
};
