import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import { inFolder } from './in-folder.ts';
import { LISTED, OBJECTS, type StoreTask, WATCHERS, WRITERS } from './store-tasks.ts';

interface Measure extends Pick<Figure, 'what' | 'unit' | 'better' | 'peer' | 'goal'> {
  readonly ours: StoreTask;
  /** Task of the peer, or the minimum of every run. */
  readonly theirs: StoreTask | number;
  /** Task that prepares the folders of both. */
  readonly prepare?: StoreTask;
}

const ROUNDS = 3;
const thousands = (count: number): string => count.toLocaleString('en');

const MEASURES: readonly Measure[] = [
  {
    what: `durable writes by ${WRITERS} writers`,
    unit: 'writes/s',
    better: 'more',
    ours: 'writes',
    peer: 'floor',
    theirs: 4_000,
    goal: 1,
  },
  {
    what: `durable writes by ${WRITERS} writers`,
    unit: 'writes/s',
    better: 'more',
    ours: 'writes',
    peer: 'append + fdatasync, in groups',
    theirs: 'writes to a plain file',
    goal: 0.25,
  },
  {
    what: `lists of ${thousands(LISTED)}, as bytes`,
    unit: 'objects/s',
    better: 'more',
    ours: 'list',
    peer: 'JSON.stringify',
    theirs: 'list by stringify',
    goal: 3,
  },
  {
    what: `events to ${thousands(WATCHERS)} watchers`,
    unit: 'events/s',
    better: 'more',
    ours: 'fan-out',
    peer: 'floor',
    theirs: 300_000,
    goal: 1,
  },
  {
    what: `memory of ${thousands(OBJECTS)} objects of 0.9 kB`,
    unit: 'bytes/object',
    better: 'less',
    ours: 'memory',
    peer: 'parsed objects in a Map',
    theirs: 'memory of parsed objects',
    goal: 1,
  },
  {
    what: `start with ${thousands(OBJECTS)} objects`,
    unit: 'ms',
    better: 'less',
    ours: 'start',
    peer: 'JSON.parse of lines',
    theirs: 'start from JSON lines',
    prepare: 'fill',
    goal: 1,
  },
];

/** Every run has a process of its own, so that none finds the heap of another. */
const run = async (task: StoreTask, folder: string): Promise<number> => {
  using child = new Child<never, number>('./store-worker.ts', task, folder);
  return await child.answer();
};

const measure = async (measured: Measure, folder: string): Promise<Figure> => {
  const { theirs, prepare } = measured;
  const values = { ours: [] as number[], theirs: [] as number[] };
  if (prepare !== undefined) await run(prepare, folder);
  for (let round = 0; round < ROUNDS; round++) {
    values.ours.push(await run(measured.ours, folder));
    values.theirs.push(typeof theirs === 'number' ? theirs : await run(theirs, folder));
  }
  return figureOf(measured, values);
};

/** The store of the API server beside what a disk and JSON allow. */
export const storeBenchmark: Benchmark = {
  name: 'store',
  run: async () => {
    const figures: Figure[] = [];
    for (const entry of MEASURES) {
      figures.push(await inFolder((folder) => measure(entry, folder)));
    }
    return figures;
  },
};
