import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeApiserver, openKubeApiserver } from './apiserver-peer.ts';
import {
  CLIENTS,
  type FolderTask,
  LISTED,
  type LoadOrder,
  OBJECTS,
  type Target,
} from './apiserver-protocol.ts';
import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import { inFolder } from './in-folder.ts';

type Load = Child<LoadOrder, number>;

interface Measure extends Pick<Figure, 'what' | 'unit'> {
  readonly order: Exclude<LoadOrder, { readonly task: 'prepare' }>;
  /** Minimum of every run. */
  readonly floor: number;
  /** Minimum of the ratio to a kube-apiserver; absent: no comparison. */
  readonly goal?: number;
}

const ROUNDS = 3;
/** A server runs for days: how it does in its first seconds, while its code is compiled, is not what counts. */
const UNCOUNTED_ROUNDS = 6;
const FLOOR = 'floor';
const MOST_START_MS = 1_000;
const MOST_BYTES = 4_096;
const thousands = (count: number): string => count.toLocaleString('en');

/** As they are stored, with their owners. */
const SIZES = { configmaps: '1.6 kB', secrets: '0.5 kB' } as const;

const MEASURES: readonly Measure[] = [
  {
    what: `durable PUTs over TLS by ${CLIENTS} clients`,
    unit: 'requests/s',
    order: { task: 'puts' },
    floor: 4_000,
    goal: 3,
  },
  {
    what: `GETs over TLS by ${CLIENTS} clients`,
    unit: 'requests/s',
    order: { task: 'gets' },
    floor: 4_000,
    goal: 1,
  },
  {
    what: `lists of ${thousands(LISTED)} over TLS`,
    unit: 'lists/s',
    order: { task: 'lists' },
    floor: 10,
    goal: 1,
  },
  ...(['configmaps', 'secrets'] as const).flatMap((of): readonly Measure[] =>
    [
      { watchers: 100, writes: 2_500 },
      { watchers: 1_000, writes: 1_000 },
    ].map(({ watchers, writes }) => ({
      what: `events of ${SIZES[of]} to ${thousands(watchers)} watchers`,
      unit: 'events/s',
      order: { task: 'watch', of, watchers, writes },
      floor: 300_000,
      // With small objects it ends watches as too slow.
      ...(of === 'secrets' ? {} : { goal: 10 }),
    })),
  ),
];

const measure = async (
  { order, floor, goal, ...about }: Measure,
  ours: Load,
  kubeApiserver: KubeApiserver | undefined,
): Promise<readonly Figure[]> => {
  const peer = goal === undefined ? undefined : kubeApiserver;
  const values = { ours: [] as number[], floor: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < UNCOUNTED_ROUNDS; round++) {
    await ours.ask(order);
    await peer?.load.ask(order);
  }
  for (let round = 0; round < ROUNDS; round++) {
    values.ours.push(await ours.ask(order));
    values.floor.push(floor);
    if (peer) values.theirs.push(await peer.load.ask(order));
  }
  const figure = { ...about, better: 'more' } as const;
  const beside = { ...figure, peer: FLOOR, goal: 1 };
  return [
    figureOf(beside, { ours: values.ours, theirs: values.floor }),
    ...(peer && goal ? [figureOf({ ...figure, peer: peer.name, goal }, values)] : []),
  ];
};

const underLoad = async (folder: string): Promise<readonly Figure[]> => {
  using server = new Child<never, Target>('./apiserver-server.ts', folder);
  using ours: Load = new Child('./apiserver-load.ts');
  await ours.ask({ task: 'prepare', target: await server.answer() });
  await using peer = await openKubeApiserver(process.env);
  const figures: Figure[] = [];
  for (const entry of MEASURES) figures.push(...(await measure(entry, ours, peer)));
  return figures;
};

const inFolderOf = async (task: FolderTask, folder: string): Promise<number> => {
  using child = new Child<never, number>('./apiserver-folder.ts', task, folder);
  return await child.answer();
};

/** From the start of the process until it serves; with compiled modules at hand, as the launcher has them. */
const startMs = async (folder: string): Promise<number> => {
  const before = performance.now();
  using server = new Child<never, Target>('./apiserver-server.ts', folder);
  await server.answer();
  return performance.now() - before;
};

const atRest = async (
  about: Pick<Figure, 'what' | 'unit'>,
  floor: number,
  value: () => Promise<number>,
  rounds = ROUNDS,
): Promise<Figure> => {
  const ours: number[] = [];
  for (let round = 0; round < rounds; round++) ours.push(await value());
  const beside = { ...about, better: 'less', peer: FLOOR, goal: 1 } as const;
  return figureOf(beside, { ours, theirs: ours.map(() => floor) });
};

/** The API server over the network, beside its floors and a kube-apiserver where there is one. */
export const apiserverBenchmark: Benchmark = {
  name: 'apiserver',
  run: () =>
    inFolder(async (root) => {
      const [loaded, empty, full] = ['loaded', 'empty', 'full'].map((name) => join(root, name));
      process.env.NODE_COMPILE_CACHE ??= join(root, 'modules');
      const figures = [...(await underLoad(loaded!))];
      const fresh = () => startMs(mkdtempSync(`${empty}-`));
      figures.push(await atRest({ what: 'start, empty', unit: 'ms' }, MOST_START_MS, fresh));
      await inFolderOf('fill', full!);
      const what = `start with ${thousands(OBJECTS)} objects`;
      figures.push(await atRest({ what, unit: 'ms' }, MOST_START_MS, () => startMs(full!)));
      const perObject = async () =>
        ((await inFolderOf('memory', full!)) - (await inFolderOf('memory', empty!))) / OBJECTS;
      const memory = { what: `memory of ${thousands(OBJECTS)} objects of 1 kB`, unit: 'B/object' };
      figures.push(await atRest(memory, MOST_BYTES, perObject, 1));
      return figures;
    }),
};
