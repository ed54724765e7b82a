import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { NOTHING } from '@perigee/scheduling/queues/amounts';
import type { QueueFacts } from '@perigee/scheduling/queues/queue-facts';
import { ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import { WorkQueues } from '@perigee/scheduling/queues/work-queues';
import { type Figure, figureOf } from './figure.ts';
import { type Machines, meanOf, replay, type TraceJob } from './queues-replay.ts';

/** The trace is a sample of what ran on more than a thousand machines. On so many of them, its jobs have to wait. */
const MACHINES = 6;

const rowsOf = (file: string): readonly ReadonlyMap<string, string>[] => {
  const [head = '', ...lines] = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return new Map(names.map((name, at) => [name, cells[at] ?? '']));
  });
};

const numberIn = (row: ReadonlyMap<string, string>, name: string): number =>
  Number(row.get(name) || 0);

const jobsOf = (folder: string): readonly TraceJob[] =>
  rowsOf(join(folder, 'openb-pods.csv.gz'))
    .filter((row) => row.get('scheduled_time') !== '')
    .map((row) => {
      const gpus = numberIn(row, 'num_gpu') * numberIn(row, 'gpu_milli');
      const requests = new Map([
        ['cpu', numberIn(row, 'cpu_milli')],
        ['memory', numberIn(row, 'memory_mib')],
        ['gpu', gpus],
      ]);
      const kind = row.get('qos') ?? '';
      const shape = [...requests.values()].join();
      const createdAt = numberIn(row, 'creation_time') * 1000;
      const common = { priority: 0, isGang: true, claimsSettled: true };
      return {
        kind,
        runMs: (numberIn(row, 'deletion_time') - numberIn(row, 'scheduled_time')) * 1000,
        item: { key: row.get('name') ?? '', queue: kind, createdAt, requests, shape, ...common },
      };
    })
    .sort((a, b) => a.item.createdAt - b.item.createdAt);

interface Machine {
  readonly name: string;
  readonly free: Map<string, number>;
}

const machinesOf = (folder: string): readonly Machine[] =>
  rowsOf(join(folder, 'openb-nodes.csv.gz'))
    .filter((row) => numberIn(row, 'gpu') === 8)
    .slice(0, MACHINES)
    .map((row) => ({
      name: row.get('sn') ?? '',
      free: new Map([
        ['cpu', numberIn(row, 'cpu_milli')],
        ['memory', numberIn(row, 'memory_mib')],
        ['gpu', numberIn(row, 'gpu') * 1000],
      ]),
    }));

/** Each job runs on one machine: on the one where the fewest GPUs are left over. */
class Park implements Machines {
  readonly #machines: readonly Machine[];
  readonly #places = new Map<string, Machine>();
  readonly total: ReadonlyMap<string, number>;

  constructor(machines: readonly Machine[]) {
    this.#machines = machines;
    const sum = new Map<string, number>();
    for (const { free } of machines) {
      for (const [name, amount] of free) sum.set(name, (sum.get(name) ?? 0) + amount);
    }
    this.total = sum;
  }

  #best(requests: ReadonlyMap<string, number | bigint>): Machine | undefined {
    return this.#machines
      .filter(({ free }) =>
        [...requests].every(([name, amount]) => (free.get(name) ?? 0) >= amount),
      )
      .sort((a, b) => (a.free.get('gpu') ?? 0) - (b.free.get('gpu') ?? 0))[0];
  }

  readonly fits: Machines['fits'] = ({ requests }, avoid) => {
    const machine = avoid.has('park') ? undefined : this.#best(requests);
    return machine === undefined
      ? { kind: 'not-now', missing: NOTHING, clusters: ['park'] }
      : { kind: 'fits', clusters: { park: 1 } };
  };

  readonly busy = (): number => {
    const free = this.#machines.reduce((sum, machine) => sum + (machine.free.get('gpu') ?? 0), 0);
    return 1 - free / (this.total.get('gpu') ?? 1);
  };

  readonly start = ({ item }: TraceJob): void => {
    const machine = this.#best(item.requests);
    if (machine === undefined) throw new Error(`${item.key} was released without room`);
    this.#places.set(item.key, machine);
    for (const [name, amount] of item.requests) {
      machine.free.set(name, (machine.free.get(name) ?? 0) - Number(amount));
    }
  };

  readonly end = ({ item }: TraceJob): void => {
    const machine = this.#places.get(item.key);
    for (const [name, amount] of item.requests) {
      machine?.free.set(name, (machine.free.get(name) ?? 0) + Number(amount));
    }
  };
}

interface Result {
  readonly waitMinutes: number;
  /** The part of the GPUs that runs jobs while others wait. */
  readonly utilisation: number;
}

const run = (
  folder: string,
  jobs: readonly TraceJob[],
  queues: readonly Partial<QueueFacts>[],
): Result => {
  const park = new Park(machinesOf(folder));
  const world = new WorkQueues();
  world.setTotal(park.total);
  for (const facts of queues) {
    world.setQueue({
      ...{ name: '', parent: ROOT_QUEUE, weight: 1, priority: 0, isStrict: false, isOpen: true },
      ...{ isReclaimable: true, capability: NOTHING, deserved: NOTHING, guarantee: NOTHING },
      ...facts,
    });
  }
  const { waits, busyWhileWaiting, neverRan } = replay(jobs, world, park);
  if (neverRan > 0) console.error(`  ${neverRan} jobs of the trace never fit`);
  return { waitMinutes: meanOf(waits) / 60_000, utilisation: busyWhileWaiting };
};

/** The jobs of Alibaba's trace "openb", in one strict line and in a queue for each of their classes. */
export const traceFigures = (folder: string | undefined): readonly Figure[] => {
  if (folder === undefined || !existsSync(join(folder, 'openb-pods.csv.gz'))) {
    console.error('  the trace is left out: PERIGEE_DATA names no folder that has it');
    return [];
  }
  const all = jobsOf(folder);
  // The first jobs of the trace run from its beginning to its end.
  const jobs = all.filter(({ item }) => item.createdAt > 0);
  const kinds = [...new Set(jobs.map(({ kind }) => kind))];
  const ours = run(
    folder,
    jobs,
    kinds.map((name) => ({ name })),
  );
  const inLine = jobs.map((job) => ({ ...job, item: { ...job.item, queue: 'line' } }));
  const fifo = run(folder, inLine, [{ name: 'line', isStrict: true }]);
  const title = `openb, ${jobs.length.toLocaleString('en')} jobs on ${MACHINES} machines`;
  return [
    figureOf(
      { what: `${title}, mean wait`, unit: 'min', better: 'less', peer: 'FIFO', goal: 1 },
      { ours: [ours.waitMinutes], theirs: [fifo.waitMinutes] },
    ),
    figureOf(
      {
        what: `${title}, GPUs in use while jobs wait`,
        unit: '%',
        better: 'more',
        peer: 'FIFO',
        goal: 1,
      },
      { ours: [ours.utilisation * 100], theirs: [fifo.utilisation * 100] },
    ),
  ];
};
