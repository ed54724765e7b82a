import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import fc from 'fast-check';
import { exponentialBackoff } from '../../src/queue/rate-limiter.ts';
import { type WorkItem, WorkQueue } from '../../src/queue/work-queue.ts';

const BASE_MS = 5;

type Operation =
  | {
      readonly op: 'add';
      readonly key: string;
      readonly priority: number;
      readonly delayMs: number;
    }
  | { readonly op: 'retry'; readonly key: string; readonly priority: number }
  | { readonly op: 'forget'; readonly key: string }
  | { readonly op: 'take' }
  | { readonly op: 'done'; readonly which: number }
  | { readonly op: 'advance'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const priority = fc.integer({ min: -1, max: 1 });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('add'), key, priority, delayMs: fc.nat(12) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('add'), key, priority, delayMs: fc.constant(0) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('retry'), key, priority }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('forget'), key }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('take') }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('done'), which: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('advance'), ms: fc.nat(10) }) },
);

/** The same queue, said as simply as possible: everything is searched for. */
class Model {
  now = 0;
  takers = 0;
  wishes: { key: string; priority: number; dueAt: number }[] = [];
  readonly running: { key: string; priority: number }[] = [];
  readonly failures = new Map<string, number>();

  add(key: string, priority: number, delayMs: number): void {
    const dueAt = this.now + delayMs;
    const wish = this.wishes.find((other) => other.key === key);
    if (wish === undefined) this.wishes.push({ key, priority, dueAt });
    else {
      wish.priority = Math.max(wish.priority, priority);
      wish.dueAt = Math.min(wish.dueAt, dueAt);
    }
  }

  retry(key: string, priority: number): void {
    const failures = this.failures.get(key) ?? 0;
    this.failures.set(key, failures + 1);
    this.add(key, priority, BASE_MS * 2 ** failures);
  }

  isRunning(key: string): boolean {
    return this.running.some((run) => run.key === key);
  }

  /** Gives what is ready to the workers that wait. */
  serve(): void {
    while (this.takers > 0) {
      const [next] = this.wishes
        .filter((wish) => wish.dueAt <= this.now && !this.isRunning(wish.key))
        .toSorted((a, b) => b.priority - a.priority || a.dueAt - b.dueAt);
      if (next === undefined) return;
      this.wishes = this.wishes.filter((wish) => wish !== next);
      this.running.push({ key: next.key, priority: next.priority });
      this.takers--;
    }
  }

  advance(ms: number): void {
    const end = this.now + ms;
    const moments = this.wishes
      .map((wish) => wish.dueAt)
      .filter((at) => at > this.now && at <= end);
    for (const moment of [...moments.toSorted((a, b) => a - b), end]) {
      this.now = moment;
      this.serve();
    }
  }
}

test('the queue behaves as its model, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
      const clock = new VirtualClock();
      const queue = new WorkQueue<string>({
        clock,
        rateLimiter: exponentialBackoff({ baseMs: BASE_MS, maxMs: 1e9 }),
      });
      const model = new Model();
      const held: WorkItem<string>[] = [];
      for (const step of operations) {
        switch (step.op) {
          case 'add':
            queue.add(step.key, step);
            model.add(step.key, step.priority, step.delayMs);
            break;
          case 'retry':
            queue.retry(step.key, step);
            model.retry(step.key, step.priority);
            break;
          case 'forget':
            queue.forget(step.key);
            model.failures.delete(step.key);
            break;
          case 'take':
            void queue.take().then((item) => item !== undefined && held.push(item));
            model.takers++;
            break;
          case 'done': {
            const index = step.which % Math.max(1, held.length);
            held.splice(index, 1)[0]?.[Symbol.dispose]();
            model.running.splice(index, 1);
            break;
          }
          case 'advance':
            await clock.advance(step.ms);
            model.advance(step.ms);
            break;
        }
        model.serve();
        await setImmediate();
        assert.deepEqual(
          held.map(({ key, priority }) => ({ key, priority })),
          model.running,
        );
        const delayed = model.wishes.filter(
          (wish) => wish.dueAt > model.now && !model.isRunning(wish.key),
        );
        assert.equal(queue.depth, model.wishes.length - delayed.length);
        assert.equal(clock.pendingTimers, delayed.length > 0 ? 1 : 0);
      }
    }),
    { numRuns: 150 },
  );
});

test('however many workers there are and however long they take, no key is lost', async () => {
  const add = fc.record({
    key: fc.nat(8),
    at: fc.nat(100),
    priority,
    delayMs: fc.oneof(fc.constant(0), fc.nat(50)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(add, { maxLength: 40 }),
      fc.array(fc.nat(30), { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
      async (adds, durations, workers) => {
        const clock = new VirtualClock();
        const queue = new WorkQueue<number>({ clock });
        const runs: { key: number; start: number; end: number; order: number }[] = [];
        const working = new Set<number>();
        let order = 0;
        const work = async () => {
          for (;;) {
            using item = await queue.take();
            if (item === undefined) return;
            assert.ok(!working.has(item.key), 'two workers have the same key');
            working.add(item.key);
            const run = { key: item.key, start: clock.monotonic(), end: 0, order: order++ };
            runs.push(run);
            await clock.sleep(durations[run.order % durations.length] ?? 0);
            run.end = clock.monotonic();
            working.delete(item.key);
          }
        };
        const done = Promise.all(Array.from({ length: workers }, work));
        const made = adds.map(({ key, at, priority, delayMs }) => {
          const record = { key, at, delayMs, order: 0 };
          clock.timer(at, () => {
            record.order = order++;
            queue.add(key, { priority, delayMs });
          });
          return record;
        });
        await clock.advance(40 * 30 + 150);
        await queue.shutDown({ drain: true });
        await done;
        for (const added of made) {
          assert.ok(
            runs.some((run) => run.key === added.key && run.order > added.order),
            `key ${added.key}, added at ${added.at}, had no run that started after that`,
          );
        }
        assert.ok(runs.length <= adds.length, 'more runs than adds');
      },
    ),
    { numRuns: 60 },
  );
});
