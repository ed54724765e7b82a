import { RecentMap } from '@perigee/schema/recent-map';
import type { ReadNodeClaim } from '../../../clusters/room/node-claim.ts';
import type { SetPart } from './estimate-sets.ts';
import { type NodeGroup, type PodKind, podsOnGroups } from './node-group.ts';
import { nodeShape } from './node-shape.ts';
import { spreadSets } from './spread-pods.ts';

/** Limit of cached counts: many bindings have the same requests. */
const MOST_ANSWERS = 256;
/** Limit of counted sets: more room makes no difference. */
const ENOUGH_SETS = 100;

const keys = new WeakMap<PodKind, string>();

/** The resources and claims of pods, as text, cached for the counts in all clusters. */
const kindKey = (kind: PodKind): string => {
  const cachedKey = keys.get(kind);
  if (cachedKey !== undefined) return cachedKey;
  const { shape, claim } = kind;
  const key = JSON.stringify([shape.map(({ name, amount }) => [name, amount.parts]), claim.key]);
  keys.set(kind, key);
  return key;
};

/** The room of a cluster by its nodes; immutable. */
export class ExactRoom {
  readonly groups: readonly NodeGroup[];
  readonly #hiddenLabels: ReadonlySet<string>;
  readonly #shownLabels: ReadonlySet<string>;
  readonly #answers = new RecentMap<string, number>(MOST_ANSWERS);

  constructor(
    groups: readonly NodeGroup[],
    hiddenLabels: ReadonlySet<string>,
    shownLabels: ReadonlySet<string> = new Set(),
  ) {
    this.groups = groups;
    this.#hiddenLabels = hiddenLabels;
    this.#shownLabels = shownLabels;
  }

  /** True if the pools show all labels that the claim reads. */
  covers({ labels, isBeyondLabels }: ReadNodeClaim): boolean {
    if (isBeyondLabels) return false;
    if (this.#hiddenLabels.has('*'))
      return [...labels].every((label) => this.#shownLabels.has(label));
    for (const label of labels) if (this.#hiddenLabels.has(label)) return false;
    return true;
  }

  /** The number of pods of a kind that fit. */
  podsFor(kind: PodKind): number {
    return this.#memo(kindKey(kind), () =>
      podsOnGroups(this.groups, { ...kind, shape: nodeShape(kind.shape) }),
    );
  }

  /** The number of whole sets that fit, up to enough. */
  setsFor(parts: readonly SetPart[]): number {
    const key = JSON.stringify(parts.map((part) => [part.replicas, kindKey(part)]));
    return this.#memo(key, () => spreadSets(this.groups, parts, ENOUGH_SETS));
  }

  /** The same labels with other nodes. */
  with(groups: readonly NodeGroup[]): ExactRoom {
    return new ExactRoom(groups, this.#hiddenLabels, this.#shownLabels);
  }

  #memo(key: string, count: () => number): number {
    const cachedCount = this.#answers.get(key);
    if (cachedCount !== undefined) return cachedCount;
    const answer = count();
    this.#answers.set(key, answer);
    return answer;
  }
}

/** The present room of a cluster, and its room if it were empty. */
export interface ClusterSpace {
  readonly free: ExactRoom;
  /** Absent if the room does not list all nodes. */
  readonly whole?: ExactRoom;
}
