import type { JsonObject } from '@perigee/api/json';
import type { PodGroupSpec } from '@perigee/api/kinds/groups/pod-group';
import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import type { Interpreter } from '../interpreter/interpreter.ts';
import { type Annotations, groupWishes } from './group-annotations.ts';
import { WORKLOAD, workloadMark } from './group-names.ts';
import type { OwnerLink } from './owner-chain.ts';
import { partsOfPods, partsOfWorkload, resourcesOf } from './workload-parts.ts';

/** A pod, as far as its group is made of it. */
export interface GroupPod extends KubeObject {
  readonly spec: { readonly priorityClassName?: string };
}

export interface GroupSource {
  readonly owner: OwnerReference;
  /** The owner itself, when its kind is known to say what its pods need. */
  readonly workload?: JsonObject;
  /** The pods of the group, oldest first. What they say of themselves, the first says for all. */
  readonly pods: readonly [GroupPod, ...GroupPod[]];
  /** The owners of the first pod, from it upwards. */
  readonly owners: readonly OwnerLink[];
  /** The topmost of them, as far as that is known; absent when nobody owns the pod. */
  readonly top?: OwnerReference;
  /** How many members a user wrote into the group: what they need is asked for, whatever annotations say. */
  readonly chosenMinMember?: number;
  /** The annotations of the namespace. */
  readonly namespace: Annotations;
  readonly interpreter: Interpreter;
}

/** What is wanted of a group by the objects it was made for. */
export interface DesiredGroup {
  readonly spec: PodGroupSpec;
  readonly annotations: Annotations;
}

const LABELS = ['volcano.sh/preemptable', 'volcano.sh/cooldown-time'];

/** Two things may be said in labels of the pod, too. */
const wishesOfPod = ({ metadata: { annotations = {}, labels = {} } }: GroupPod): Annotations => ({
  ...Object.fromEntries(LABELS.flatMap((key) => (labels[key] ? [[key, labels[key]]] : []))),
  ...annotations,
});

/** The owners up to the one that has the group: those above it stand for more than the group. */
const upTo = (owners: readonly OwnerLink[], { uid }: OwnerReference): readonly OwnerLink[] =>
  owners.slice(0, 1 + owners.findIndex(({ reference }) => reference.uid === uid));

/** The group that the workload of some pods should have. */
export const desiredGroup = (source: GroupSource): DesiredGroup => {
  const { owner, workload, pods, owners, top, chosenMinMember, namespace, interpreter } = source;
  const [first] = pods;
  const near = [
    wishesOfPod(first),
    ...upTo(owners, owner).map((link) => link.owner?.metadata.annotations ?? {}),
  ];
  const { minMember, annotations, queue = 'default', ...wishes } = groupWishes(near, namespace);
  const known =
    workload === undefined
      ? []
      : partsOfWorkload(interpreter.of(owner.apiVersion, owner.kind), workload);
  const parts = known.length > 0 ? known : partsOfPods(pods);
  const minResources = resourcesOf(parts, chosenMinMember ?? minMember);
  const { priorityClassName } = first.spec;
  return {
    spec: {
      minMember,
      ...wishes,
      queue,
      ...(Object.keys(minResources).length === 0 ? {} : { minResources }),
      ...(priorityClassName ? { priorityClassName } : {}),
    },
    annotations: {
      ...annotations,
      ...(top === undefined || top.uid === owner.uid ? {} : { [WORKLOAD]: workloadMark(top) }),
    },
  };
};
