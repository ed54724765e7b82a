import type { Amounts } from '@perigee/scheduling/queues/amounts';
import type { QueueFacts } from '@perigee/scheduling/queues/queue-facts';
import type { Fits, RunningWork, WorkItem } from '@perigee/scheduling/queues/work-item';
import fc from 'fast-check';
import { amounts, queueOf, workOf } from './queue-world.ts';

/** Something that happens to the queues. */
export type Happening =
  | { readonly kind: 'queue'; readonly facts: QueueFacts }
  | { readonly kind: 'no-queue'; readonly name: string }
  | { readonly kind: 'work'; readonly item: WorkItem }
  | { readonly kind: 'no-work'; readonly key: string }
  /** Ends some of the running work. */
  | { readonly kind: 'end'; readonly which: number }
  | { readonly kind: 'scale'; readonly which: number; readonly cpu: number }
  | { readonly kind: 'total'; readonly cpu: number; readonly gpu: number }
  | { readonly kind: 'wait'; readonly ms: number };

const QUEUES = ['root', 'a', 'b', 'a1', 'a2', 'b1', 'b2', 'c', 'gone'];
const GPU = 'nvidia.com/gpu';

const resources = (max: number, min = 1) =>
  fc.record(
    { cpu: fc.integer({ min, max }), [GPU]: fc.integer({ min, max }) },
    { requiredKeys: [] },
  );

/** Most are as they should be, so that much happens. */
const parentOf = (name: string) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(name.length === 2 ? name.charAt(0) : 'root') },
    { weight: 1, arbitrary: fc.constantFrom(...QUEUES) },
  );

const NAMES = ['a', 'b', 'a1', 'a2', 'b1', 'b2', 'c'] as const;

const queueNamed = (name: string): fc.Arbitrary<Happening> =>
  fc
    .record({
      name: fc.constant(name),
      parent: parentOf(name),
      weight: fc.constantFrom(1, 1, 2),
      priority: fc.constantFrom(0, 1, 2),
      isStrict: fc.boolean(),
      isOpen: fc.constantFrom(true, true, true, true, true, true, false),
      guarantee: resources(4),
      deserved: resources(6),
      capability: resources(16, 5),
    })
    .map((sketch) => ({ kind: 'queue', facts: queueOf(sketch) }));

const queues = fc.constantFrom(...NAMES).chain(queueNamed);

const work: fc.Arbitrary<Happening> = fc
  .record({
    key: fc.integer({ min: 0, max: 40 }).map((number) => `w${number}`),
    queue: fc.constantFrom('a1', 'a1', 'a2', 'a2', 'b1', 'b2', 'c', 'c', 'a', 'gone'),
    priority: fc.constantFrom(0, 0, 0, 5),
    createdAt: fc.integer({ min: 0, max: 5 }),
    shape: fc.constantFrom('', '', '', 'left', 'left', 'right', 'right', 'never'),
    claimsSettled: fc.integer({ min: 0, max: 7 }).map((number) => number > 0),
    requests: resources(5),
  })
  .map((sketch) => ({ kind: 'work', item: workOf(sketch) }));

const index = fc.integer({ min: 0, max: 1000 });

export const histories: fc.Arbitrary<readonly Happening[]> = fc
  .tuple(
    fc.tuple(...NAMES.map(queueNamed)),
    fc.array(
      fc.oneof(
        { weight: 12, arbitrary: work },
        { weight: 8, arbitrary: fc.record({ kind: fc.constant('end' as const), which: index }) },
        { weight: 2, arbitrary: queues },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant('no-queue' as const),
            name: fc.constantFrom(...QUEUES),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant('no-work' as const),
            key: fc.integer({ min: 0, max: 40 }).map((number) => `w${number}`),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant('scale' as const),
            which: index,
            cpu: fc.integer({ min: 1, max: 8 }),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant('total' as const),
            cpu: fc.integer({ min: 4, max: 40 }),
            gpu: fc.integer({ min: 0, max: 20 }),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant('wait' as const),
            ms: fc.integer({ min: 1, max: 30 }),
          }),
        },
      ),
      { minLength: 1, maxLength: 60, size: 'max' },
    ),
  )
  .map(([first, rest]) => [...first, ...rest]);

/** Two clusters with cpus of their own. The shape of work says where it may go. */
type Cluster = 'left' | 'right';
const CPUS = { left: 14, right: 20 };

const cpu = (of: Amounts): number => Number(of.get('cpu') ?? 0) / 1000;

/** Room on the two clusters beside what runs there. */
export const roomBeside =
  (running: ReadonlyMap<string, RunningWork>): Fits =>
  ({ shape, requests }, avoid) => {
    if (shape === 'never') return { kind: 'never', why: 'it is so' };
    const names: readonly Cluster[] =
      shape === 'left' || shape === 'right' ? [shape] : ['left', 'right'];
    const free = (name: Cluster) =>
      [...running.values()].reduce(
        (left, { clusters, amounts: taken }) => left - (clusters.includes(name) ? cpu(taken) : 0),
        CPUS[name],
      );
    const fit = names.find((name) => !avoid.has(name) && free(name) >= cpu(requests));
    return fit === undefined
      ? { kind: 'not-now', missing: amounts({ cpu: 1 }), clusters: names }
      : { kind: 'fits', clusters: { [fit]: 1 } };
  };
