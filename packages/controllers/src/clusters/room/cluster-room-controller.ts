import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { ignoreNotFound, isNotFound } from '@perigee/kube/errors';
import { type CountedRoom, countRoom } from '@perigee/scheduling/clusters/room/count-room';
import { nodeRooms } from '@perigee/scheduling/clusters/room/node-room';
import { BEAT_MS } from '@perigee/scheduling/clusters/room/room-age';
import type { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { formatTime } from '@perigee/schema/values/time';
import type { MemberUsages } from '../status/member-usages.ts';

export interface ClusterRoomOptions {
  /** The node and pod counts of members. */
  readonly usages: MemberUsages;
  /** Write budget per cluster: the larger its room object, the less often it is written. */
  readonly bytesPerSecond?: number;
  /** Minimum interval between writes. */
  readonly leastMs?: number;
}

const FIELD_MANAGER = 'perigee-cluster-room';

/**
 * An unchanged count is published again after this time. A reader that knows of work in the cluster then knows that
 * the count includes it.
 */
const CONFIRM_MS = 3_000;

/** The last write. */
interface RoomReport {
  /** A cluster that was removed and added again has a new object. */
  readonly usage: ClusterUsage;
  readonly text: string;
  /** Time of the repeated write. */
  readonly againMs: number;
  /** Earliest time of the next write. */
  readonly nextMs: number;
}

const source = (usages: MemberUsages, lastReports: Map<string, RoomReport>): Source => ({
  kinds: [],
  start: ({ enqueue }) => {
    const stack = new DisposableStack();
    stack.use(usages.onChange((name) => enqueue({ name })));
    stack.defer(() => lastReports.clear());
    return stack;
  },
});

/** Returns false if the execution namespace does not exist yet: that of a new cluster may follow in a moment. */
const write = async (
  cluster: string,
  roomSpec: CountedRoom,
  { client, clock, signal }: ReconcileContext,
): Promise<boolean> => {
  const ref = { namespace: executionNamespace(cluster), name: cluster };
  const spec = { countedAt: formatTime(clock.now()), ...roomSpec };
  const options = { fieldManager: FIELD_MANAGER, signal };
  const operations = [{ op: 'replace', path: '/spec', value: spec }] as const;
  try {
    await client.patch(ClusterRoom, ref, { type: 'json', operations }, options);
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const room = { metadata: ref, spec };
  return (await client.create(ClusterRoom, room, options).catch(ignoreNotFound)) !== undefined;
};

/** Publishes the room of members, counted on their nodes, for schedulers in any process. */
export const clusterRoomController = ({
  usages,
  bytesPerSecond = 4_096,
  leastMs = 250,
}: ClusterRoomOptions): ControllerDefinition => {
  const lastReports = new Map<string, RoomReport>();
  return defineController({
    name: 'cluster-room',
    watches: [source(usages, lastReports)],
    concurrency: 16,
    async reconcile({ name }, context) {
      const usage = usages.counted(name);
      if (usage === undefined) {
        lastReports.delete(name);
        return undefined;
      }
      const nowMs = context.clock.monotonic();
      const report = lastReports.get(name);
      const last = report?.usage === usage ? report : undefined;
      if (last !== undefined && nowMs < last.nextMs) return { requeueAfterMs: last.nextMs - nowMs };
      const roomSpec = countRoom(nodeRooms(usage));
      const text = JSON.stringify(roomSpec);
      const nextMs = nowMs + Math.max(leastMs, (text.length / bytesPerSecond) * 1_000);
      if (last !== undefined && last.text === text && nowMs < last.againMs) {
        lastReports.set(name, { ...last, nextMs });
        return { requeueAfterMs: last.againMs - nowMs };
      }
      if (!(await write(name, roomSpec, context))) return { requeueAfterMs: leastMs };
      const isConfirmed = last?.text === text;
      const againMs = isConfirmed ? nowMs + BEAT_MS : Math.max(nextMs, nowMs + CONFIRM_MS);
      lastReports.set(name, { usage, text, againMs, nextMs });
      return { requeueAfterMs: againMs - nowMs };
    },
  });
};
