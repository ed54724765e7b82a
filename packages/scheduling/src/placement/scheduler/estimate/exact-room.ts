import { RecentMap } from '@perigee/schema/recent-map';
import type { ReadNodeClaim } from '../../../clusters/room/node-claim.ts';
import type { SetPart } from './estimate-sets.ts';
import { type NodeGroup, type PodKind, podsOnGroups } from './node-group.ts';
import { nodeShape } from './node-shape.ts';
import { spreadSets } from './spread-pods.ts';

/** Answers that a room remembers: bindings that ask for the same are many. */
const MOST_ANSWERS = 256;
/** Room for more whole sets than this is as good as any. */
const ENOUGH_SETS = 100;

const keys = new WeakMap<PodKind, string>();

/** The resources and claims of pods, as text. Every cluster is asked about the same pods. */
const kindKey = (kind: PodKind): string => {
  const known = keys.get(kind);
  if (known !== undefined) return known;
  const { shape, claim } = kind;
  const key = JSON.stringify([shape.map(({ name, amount }) => [name, amount.parts]), claim.key]);
  keys.set(kind, key);
  return key;
};

/** The room of a cluster by its nodes. It never changes; `after` gives the one with more pods. */
export class ExactRoom {
  readonly groups: readonly NodeGroup[];
  readonly #untold: ReadonlySet<string>;
  readonly #told: ReadonlySet<string>;
  readonly #answers = new RecentMap<string, number>(MOST_ANSWERS);

  constructor(
    groups: readonly NodeGroup[],
    untold: ReadonlySet<string>,
    told: ReadonlySet<string> = new Set(),
  ) {
    this.groups = groups;
    this.#untold = untold;
    this.#told = told;
  }

  /** True if the pools show all labels that the claim reads. */
  tells({ labels, isBeyondLabels }: ReadNodeClaim): boolean {
    if (isBeyondLabels) return false;
    if (this.#untold.has('*')) return [...labels].every((label) => this.#told.has(label));
    for (const label of labels) if (this.#untold.has(label)) return false;
    return true;
  }

  /** The number of pods of a kind that fit. */
  podsFor(kind: PodKind): number {
    return this.#remembered(kindKey(kind), () =>
      podsOnGroups(this.groups, { ...kind, shape: nodeShape(kind.shape) }),
    );
  }

  /** The number of whole sets that fit, up to enough. */
  setsFor(parts: readonly SetPart[]): number {
    const key = JSON.stringify(parts.map((part) => [part.replicas, kindKey(part)]));
    return this.#remembered(key, () => spreadSets(this.groups, parts, ENOUGH_SETS));
  }

  /** The same nodes with other room. */
  with(groups: readonly NodeGroup[]): ExactRoom {
    return new ExactRoom(groups, this.#untold, this.#told);
  }

  #remembered(key: string, count: () => number): number {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = count();
    this.#answers.set(key, answer);
    return answer;
  }
}

/** The room of a cluster now, and as it would be if nothing ran there. */
export interface ClusterSpace {
  readonly free: ExactRoom;
  /** Absent when not all nodes are told of. */
  readonly whole?: ExactRoom;
}
