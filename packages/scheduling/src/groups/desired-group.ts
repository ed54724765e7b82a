import type { PodGroupSpec } from '@perigee/api/kinds/groups/pod-group';
import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Interpreter } from '../interpreter/interpreter.ts';
import { type Annotations, groupSettings } from './group-annotations.ts';
import { WORKLOAD, workloadMark } from './group-names.ts';
import type { OwnerLink } from './owner-chain.ts';
import { partsOfPods, partsOfWorkload, resourcesOf } from './workload-parts.ts';

/** The pod fields that decide about its group. */
export interface GroupPod extends KubeObject {
  readonly spec: { readonly priorityClassName?: string };
}

export interface GroupSource {
  readonly owner: OwnerReference;
  /** The owner object, if its interpreter can read the requests of its pods. */
  readonly workload?: JsonObject;
  /** The pods of the group, oldest first. The metadata of the first counts for all. */
  readonly pods: readonly [GroupPod, ...GroupPod[]];
  /** The owner chain of the first pod, from the pod upwards. */
  readonly owners: readonly OwnerLink[];
  /** The topmost known owner; absent for a pod without an owner. */
  readonly top?: OwnerReference;
  /** The minMember that a user wrote into the group: it overrides the annotations. */
  readonly chosenMinMember?: number;
  /** The annotations of the namespace. */
  readonly namespace: Annotations;
  readonly interpreter: Interpreter;
}

/** The group as its pods and owners want it. */
export interface DesiredGroup {
  readonly spec: PodGroupSpec;
  readonly annotations: Annotations;
}

const LABELS = ['volcano.sh/preemptable', 'volcano.sh/cooldown-time'];

/** Copies the settings that a pod may also have as labels. */
const settingsOfPod = ({ metadata: { annotations = {}, labels = {} } }: GroupPod): Annotations => ({
  ...Object.fromEntries(LABELS.flatMap((key) => (labels[key] ? [[key, labels[key]]] : []))),
  ...annotations,
});

/** The owners up to the group's own: those above it cover more than the group. */
const upTo = (owners: readonly OwnerLink[], { uid }: OwnerReference): readonly OwnerLink[] =>
  owners.slice(0, 1 + owners.findIndex(({ reference }) => reference.uid === uid));

/** The group that the workload of some pods should have. */
export const desiredGroup = (source: GroupSource): DesiredGroup => {
  const { owner, workload, pods, owners, top, chosenMinMember, namespace, interpreter } = source;
  const [first] = pods;
  const near = [
    settingsOfPod(first),
    ...upTo(owners, owner).map((link) => link.owner?.metadata.annotations ?? {}),
  ];
  const { minMember, annotations, queue = 'default', ...settings } = groupSettings(near, namespace);
  const workloadParts =
    workload === undefined
      ? []
      : partsOfWorkload(interpreter.of(owner.apiVersion, owner.kind), workload);
  const parts = workloadParts.length > 0 ? workloadParts : partsOfPods(pods);
  const minResources = resourcesOf(parts, chosenMinMember ?? minMember);
  const { priorityClassName } = first.spec;
  return {
    spec: {
      minMember,
      ...settings,
      queue,
      ...present({
        minResources: Object.keys(minResources).length === 0 ? undefined : minResources,
        priorityClassName: priorityClassName || undefined,
      }),
    },
    annotations: {
      ...annotations,
      ...present({
        [WORKLOAD]: top === undefined || top.uid === owner.uid ? undefined : workloadMark(top),
      }),
    },
  };
};
