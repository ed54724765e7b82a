import { NOTHING } from '@perigee/scheduling/queues/amounts';
import { ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import type { Fits, WorkItem } from '@perigee/scheduling/queues/work-item';
import { WorkQueues } from '@perigee/scheduling/queues/work-queues';
import { liveBytes } from './live-bytes.ts';
import type { QueuesOrder, QueuesResult } from './queues-protocol.ts';

const IN_DEPARTMENT = 100;
const EVENTS = 20_000;
const SIZES = [1, 2, 4, 8, 16].map((cpu) => ({
  shape: `${cpu} cpus`,
  requests: new Map([
    ['cpu', cpu * 1000],
    ['memory', cpu * 2 ** 32],
  ]),
}));

const fits: Fits = () => ({ kind: 'fits', clusters: { member1: 1 } });

const facts = (name: string, parent: string, cpu: number) => ({
  ...{ name, parent, weight: 1, priority: 0 },
  ...{ isStrict: false, isOpen: true, isReclaimable: true, guarantee: NOTHING },
  deserved: new Map([['cpu', cpu * 500]]),
  capability: new Map([['cpu', cpu * 1000]]),
});

/** The oldest came so long ago, whatever their number: some are overdue. */
const NOW = 1_000_000;

const itemAt = (at: number, { queues, jobs }: QueuesOrder): WorkItem => ({
  ...{ key: `team-${at % queues}/job-${at}`, queue: `queue-${at % queues}` },
  ...{
    priority: at % 7 === 0 ? 100 : 0,
    createdAt: (at * NOW) / jobs,
    isGang: true,
    claimsSettled: true,
  },
  ...(SIZES[(at * 7) % SIZES.length] as (typeof SIZES)[number]),
});

const build = (order: QueuesOrder): WorkQueues => {
  const { queues, jobs } = order;
  const world = new WorkQueues();
  world.setTotal(
    new Map([
      ['cpu', queues * 20_000],
      ['memory', queues * 2 ** 37],
    ]),
  );
  for (let at = 0; at < Math.ceil(queues / IN_DEPARTMENT); at++) {
    world.setQueue(facts(`department-${at}`, ROOT_QUEUE, IN_DEPARTMENT * 20));
  }
  for (let at = 0; at < queues; at++) {
    world.setQueue(facts(`queue-${at}`, `department-${Math.floor(at / IN_DEPARTMENT)}`, 40));
  }
  for (let at = 0; at < jobs; at++) world.setItem(itemAt(at, order));
  return world;
};

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const measure = (order: QueuesOrder): QueuesResult => {
  const empty = liveBytes();
  let world = new WorkQueues();
  const rebuildMs = cpuMs(() => {
    world = build(order);
    world.chooseNext(() => ({ kind: 'not-now', missing: new Map(), clusters: [] }), NOW);
  });
  const bytesPerJob = (liveBytes() - empty) / order.jobs;
  world.roomFreed();
  const runningKeys: string[] = [];
  const releaseAll = (): void => {
    for (let next = world.chooseNext(fits, NOW); next !== undefined; ) {
      runningKeys.push(next.item.key);
      next = world.chooseNext(fits, NOW);
    }
  };
  releaseAll();
  const arrivalMs = cpuMs(() => {
    for (let at = 0; at < EVENTS; at++) {
      world.setItem(itemAt(order.jobs + at, order));
      releaseAll();
    }
  });
  const completionMs = cpuMs(() => {
    for (let at = 0; at < EVENTS; at++) {
      world.removeRunning(runningKeys[at] as string);
      world.roomFreed();
      releaseAll();
    }
  });
  return {
    arrivalUs: (arrivalMs * 1000) / EVENTS,
    completionUs: (completionMs * 1000) / EVENTS,
    bytesPerJob,
    rebuildMs,
  };
};

process.on('message', (order: QueuesOrder) => process.send?.(measure(order)));
