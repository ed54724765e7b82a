import { IndexedHeap } from '@perigee/kube/heap/indexed-heap';
import type { Fits, WorkItem } from '@perigee/scheduling/queues/work-item';
import type { WorkQueues } from '@perigee/scheduling/queues/work-queues';

/** A job of a trace: when it comes, and for how long it runs. Times are in milliseconds. */
export interface TraceJob {
  readonly item: WorkItem;
  readonly runMs: number;
  readonly kind: string;
}

/** The machines of a replay, with their capacity. */
export interface Machines {
  readonly fits: Fits;
  start(job: TraceJob): void;
  end(job: TraceJob): void;
  /** The part of them that is in use. */
  busy(): number;
}

export interface Replay {
  /** When the last job ended, counted from the first arrival. */
  readonly lastMs: number;
  /** Waiting times of the jobs, by kind, in order of length. */
  readonly waits: ReadonlyMap<string, readonly number[]>;
  readonly neverRan: number;
  /** The part of the machines that was in use, over the time in which jobs waited. */
  readonly busyWhileWaiting: number;
  /** The processor's time that all decisions took. */
  readonly cpuMs: number;
}

interface Running {
  heapIndex: number;
  readonly endsAt: number;
  readonly job: TraceJob;
}

const cpuNow = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Plays jobs, which are in order of arrival, without waiting for the time to pass. */
export const replay = (
  jobs: readonly TraceJob[],
  queues: WorkQueues,
  { fits, start, end, busy }: Machines,
): Replay => {
  const before = cpuNow();
  const byKey = new Map(jobs.map((job) => [job.item.key, job]));
  const runningJobs = new IndexedHeap<Running>((a, b) => a.endsAt < b.endsAt);
  const waits = new Map<string, number[]>();
  const first = jobs[0]?.item.createdAt ?? 0;
  let [arrived, now] = [0, first];
  let [waitedMs, busyMs] = [0, 0];
  while (arrived < jobs.length || runningJobs.size > 0) {
    const nextEnd = runningJobs.peek()?.endsAt ?? Number.POSITIVE_INFINITY;
    const nextArrival = jobs[arrived]?.item.createdAt ?? Number.POSITIVE_INFINITY;
    const passedMs = queues.waitingCount > 0 ? Math.min(nextEnd, nextArrival) - now : 0;
    waitedMs += passedMs;
    busyMs += passedMs * busy();
    now = Math.min(nextEnd, nextArrival);
    for (; runningJobs.peek()?.endsAt === now; ) {
      const over = runningJobs.pop();
      if (over === undefined) break;
      queues.removeRunning(over.job.item.key);
      end(over.job);
      queues.roomFreed();
    }
    for (; jobs[arrived]?.item.createdAt === now; arrived++) {
      queues.setItem((jobs[arrived] as TraceJob).item);
    }
    for (let next = queues.chooseNext(fits, now); next; next = queues.chooseNext(fits, now)) {
      const job = byKey.get(next.item.key) as TraceJob;
      start(job);
      runningJobs.push({ heapIndex: 0, endsAt: now + job.runMs, job });
      const wait = now - job.item.createdAt;
      const others = waits.get(job.kind);
      if (others === undefined) waits.set(job.kind, [wait]);
      else others.push(wait);
    }
  }
  for (const some of waits.values()) some.sort((a, b) => a - b);
  return {
    lastMs: now - first,
    waits,
    neverRan: queues.waitingCount,
    busyWhileWaiting: waitedMs === 0 ? 0 : busyMs / waitedMs,
    cpuMs: cpuNow() - before,
  };
};

export const meanOf = (waits: Replay['waits']): number => {
  const all = [...waits.values()].flat();
  return all.reduce((sum, wait) => sum + wait, 0) / all.length;
};

export const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
