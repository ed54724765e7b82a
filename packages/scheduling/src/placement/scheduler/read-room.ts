import type { ClusterRoom, WrittenPool } from '@perigee/api/kinds/clusters/cluster-room';
import { ParseError } from '@perigee/schema/errors';
import { endOfRoom } from '../../clusters/room/room-age.ts';
import { readAmount } from '../../clusters/room/room-amounts.ts';
import { type ClusterSpace, ExactRoom } from './estimate/exact-room.ts';
import type { NodeGroup } from './estimate/node-group.ts';

type AlikeNodes = NonNullable<WrittenPool['free']>;

const groupsOf = (
  spec: ClusterRoom['spec'],
  nodesOf: (pool: WrittenPool) => AlikeNodes | undefined,
): readonly NodeGroup[] =>
  (spec.pools ?? []).flatMap((pool) => {
    const features = {
      labels: { ...spec.labels, ...pool.labels },
      taints: pool.taints ?? [],
      isUnschedulable: pool.unschedulable === true,
    };
    return (nodesOf(pool) ?? []).map(({ nodes, each }): NodeGroup => {
      const free = new Map(
        spec.resources.map((name, at) => [name, readAmount(name, each[at] ?? 0)] as const),
      );
      return { count: nodes, free, pods: free.get('pods') ?? 0, features };
    });
  });

const spaceOf = (spec: ClusterRoom['spec']): ClusterSpace => {
  const labelKeys = [spec.labels, ...(spec.pools ?? []).map(({ labels }) => labels)].flatMap(
    (labels) => Object.keys(labels ?? {}),
  );
  const free = new ExactRoom(
    groupsOf(spec, (pool) => pool.free),
    new Set(spec.untoldLabels),
    new Set(labelKeys),
  );
  if ((spec.leftOut ?? 0) > 0) return { free };
  return { free, whole: free.with(groupsOf(spec, (pool) => pool.whole)) };
};

/** The counted room of a cluster, and its expiry in milliseconds since the epoch. */
export interface ReadRoom {
  readonly space?: ClusterSpace;
  readonly endsAt: number;
}

/** Reads the counted room; an unreadable one counts as absent, so that one bad object stops nothing. */
export const readClusterRoom = (room: ClusterRoom): ReadRoom => {
  try {
    return { space: spaceOf(room.spec), endsAt: endOfRoom(room) };
  } catch (error) {
    if (error instanceof ParseError) return { endsAt: Number.NEGATIVE_INFINITY };
    throw error;
  }
};
