import assert from 'node:assert/strict';
import { consistentFacts, type QueueFacts } from '@perigee/scheduling/queues/queue-facts';
import { ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import type { RunningWork, WorkItem } from '@perigee/scheduling/queues/work-item';
import { type WorkChoice, WorkQueues } from '@perigee/scheduling/queues/work-queues';
import { type Happening, roomBeside } from './history.ts';
import { amounts } from './queue-world.ts';

const totalOf = (cpu: number, gpu: number) => amounts({ cpu, 'nvidia.com/gpu': gpu });

/** A history as it goes on: the queues, and beside them everything as plain lists. */
export class Play {
  readonly queues: WorkQueues;
  readonly plain = {
    queues: new Map<string, QueueFacts>(),
    items: new Map<string, WorkItem>(),
    running: new Map<string, RunningWork>(),
    total: totalOf(30, 10),
  };
  readonly #released = new Map<string, WorkItem>();
  now = 0;

  constructor(queues = new WorkQueues()) {
    this.queues = queues;
    this.queues.setTotal(this.plain.total);
  }

  get fits() {
    return roomBeside(this.plain.running);
  }

  happen(happening: Happening): void {
    const { queues, plain } = this;
    // So long that work that was tried in vain is tried again.
    this.now += 1000;
    switch (happening.kind) {
      case 'queue':
        plain.queues.set(happening.facts.name, consistentFacts(happening.facts));
        queues.setQueue(happening.facts);
        break;
      case 'no-queue':
        plain.queues.delete(happening.name);
        queues.removeQueue(happening.name);
        break;
      case 'work':
        this.#wait({ ...happening.item, createdAt: this.now + happening.item.createdAt });
        break;
      case 'no-work':
        plain.items.delete(happening.key);
        queues.removeItem(happening.key);
        break;
      case 'end':
        this.end(this.#runningAt(happening.which));
        break;
      case 'scale':
        this.#scale(this.#runningAt(happening.which), happening.cpu);
        break;
      case 'total':
        plain.total = totalOf(happening.cpu, happening.gpu);
        queues.setTotal(plain.total);
        break;
      case 'wait':
        this.now += happening.ms * 100;
    }
  }

  #wait(item: WorkItem): void {
    if (this.plain.running.has(item.key)) return;
    this.plain.items.set(item.key, item);
    this.queues.setItem(item);
  }

  #scale(work: RunningWork | undefined, cpu: number): void {
    if (work === undefined) return;
    const scaled = { ...work, amounts: amounts({ cpu }) };
    this.plain.running.set(work.key, scaled);
    this.queues.setRunning(scaled);
    this.queues.roomFreed();
  }

  end(work: RunningWork | undefined): void {
    if (work === undefined) return;
    this.plain.running.delete(work.key);
    this.queues.removeRunning(work.key);
    this.queues.roomFreed(new Set(work.clusters));
  }

  /** Running work that waits again. */
  takeBack(work: RunningWork): void {
    this.end(work);
    const item = this.#released.get(work.key);
    if (item !== undefined) this.#wait(item);
  }

  /** Releases one, and notes it in the plain lists. */
  release(): WorkChoice | undefined {
    const chosen = this.queues.chooseNext(this.fits, this.now);
    if (chosen === undefined) return undefined;
    const { key, queue, priority, requests } = chosen.item;
    this.#released.set(key, chosen.item);
    assert.ok(this.plain.items.delete(key), `${key} did not wait`);
    this.plain.running.set(key, {
      ...{ key, queue, priority, amounts: requests, startedAt: this.now },
      clusters: Object.keys(chosen.clusters),
    });
    return chosen;
  }

  /** The same, made anew from what is there, as after a restart. */
  restarted(): WorkQueues {
    const { queues, items, running, total } = this.plain;
    const fresh = new WorkQueues();
    for (const work of running.values()) fresh.setRunning(work);
    for (const item of [...items.values()].reverse()) fresh.setItem(item);
    for (const facts of [...queues.values()].reverse()) fresh.setQueue(facts);
    fresh.setTotal(total);
    return fresh;
  }

  #runningAt(which: number): RunningWork | undefined {
    const running = [...this.plain.running.values()];
    return running[which % Math.max(1, running.length)];
  }
}

export const assertNothingLeft = (play: Play): void => {
  for (const key of [...play.plain.items.keys()]) play.happen({ kind: 'no-work', key });
  for (const work of [...play.plain.running.values()]) play.end(work);
  for (const name of [ROOT_QUEUE, ...play.plain.queues.keys()]) {
    assert.equal(play.queues.usedBy(name).size, 0, `${name} uses something`);
  }
};
