import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { RoomOrder, RoomResult } from './room-protocol.ts';

const ORDER: RoomOrder = { nodes: 5_000, pods: 100_000, clusters: 100 };

const FLOOR = { publishMs: 200, bytes: 49_152, toldPercent: 90, podsPerSecond: 100_000 };

/** A decision by nodes may cost so many times one by the grades of nodes. */
const MOST_COST = 2;

const besideFloor = (
  about: Pick<Figure, 'what' | 'unit' | 'better'>,
  ours: readonly number[],
  floor: number,
): Figure =>
  figureOf({ ...about, peer: 'floor', goal: 1 }, { ours, theirs: ours.map(() => floor) });

/** Cost of counting the room of a large cluster on its nodes, and of deciding by it. */
export const roomBenchmark: Benchmark = {
  name: 'room',
  run: async () => {
    using child = new Child<RoomOrder, RoomResult>('./room-run.ts');
    const result = await child.ask(ORDER);
    const decisions = { unit: 'decisions/s', better: 'more', peer: 'grades' } as const;
    return [
      besideFloor(
        { what: 'count, 5,000 nodes, 100,000 pods', unit: 'ms CPU', better: 'less' },
        result.publishMs,
        FLOOR.publishMs,
      ),
      besideFloor(
        { what: 'what is written of them', unit: 'bytes', better: 'less' },
        [result.bytes],
        FLOOR.bytes,
      ),
      besideFloor(
        { what: 'free cpu that is told', unit: '%', better: 'more' },
        [result.toldPercent],
        FLOOR.toldPercent,
      ),
      besideFloor(
        { what: 'pods that start or end', unit: 'pods/s', better: 'more' },
        [result.podsPerSecond],
        FLOOR.podsPerSecond,
      ),
      figureOf(
        { ...decisions, what: 'decision by nodes, 100 clusters', goal: 1 / MOST_COST },
        { ours: result.byNodes, theirs: result.byGrades },
      ),
      figureOf(
        { ...decisions, what: 'the same, one changed before each', goal: 1 / MOST_COST },
        { ours: result.byChangedNodes, theirs: result.byGrades },
      ),
    ];
  },
};
