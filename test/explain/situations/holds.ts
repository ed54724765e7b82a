import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { Situation } from '../situation.ts';
import type { SituationWorld } from '../situation-world.ts';
import { addDeployment, addPolicy, changePolicy, on } from '../work-objects.ts';

const inQueue = (queue: string) => ({ 'volcano.sh/queue-name': queue });

const addToQueue = async (world: SituationWorld, queue: string, cpu = '1'): Promise<void> => {
  await addDeployment(world, { labels: inQueue(queue), cpu });
  await addPolicy(world, on('member1'));
};

const claimOf = (table: string) => ({
  spec: {
    system: 'hive',
    dataSourceType: 'table',
    dataSourceName: table,
    workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  },
});

const sourceOf = (table: string, ...clusterNames: readonly string[]) => ({
  spec: { system: 'hive', type: 'table', name: table, locality: { clusterNames } },
});

/** Situations in which scheduling is held back on purpose: by users, queues, claims, other schedulers. */
export const HOLDS: readonly Situation[] = [
  {
    name: 'scheduling-suspended',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('nowhere'));
      await world.settle();
      const spec = { suspension: { scheduling: true } };
      await world.patch(ResourceBinding, 'web-deployment', { spec });
      await changePolicy(world, { placement: on('member1') });
    },
    reason: 'SchedulingSuspended',
    summary:
      /^a user has suspended its scheduling: spec\.suspension\.scheduling of the binding web-deployment/,
    mend: { first: 'ResumeWork' },
  },
  {
    name: 'dispatching-suspended',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('member1'), { suspension: { dispatching: true } });
    },
    reason: 'DispatchSuspended',
    summary: /a user has suspended what is sent to member1: suspension\.dispatching is true/,
    mend: { first: 'ResumeWork' },
  },
  {
    name: 'dispatching-to-one-suspended',
    make: async (world) => {
      await addDeployment(world);
      const suspension = { dispatchingOnClusters: { clusterNames: ['member2'] } };
      await addPolicy(world, on('member1', 'member2'), { suspension });
    },
    reason: 'DispatchSuspended',
    summary: /^2 of 4 replicas ready: a user has suspended what is sent to member2/,
    mend: { first: 'ResumeWork' },
  },
  {
    name: 'other-scheduler',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('member1'), { schedulerName: 'night-shift' });
    },
    reason: 'OtherScheduler',
    summary: /^the policy gives it to the scheduler `night-shift`, which does not run here$/,
    mend: { first: 'NameScheduler' },
  },
  {
    name: 'queue-missing',
    make: (world) => addToQueue(world, 'missing-queue'),
    reason: 'QueueUnusable',
    summary: /queue missing-queue/,
    mend: { first: 'AddQueue' },
  },
  {
    name: 'queue-closed',
    make: async (world) => {
      const annotations = { 'queue.perigee.io/closed': 'true' };
      await world.create(Queue, 'closed-queue', { metadata: { annotations }, spec: {} });
      await addToQueue(world, 'closed-queue');
    },
    reason: 'QueueClosed',
    summary: /the queue closed-queue is closed/,
    mend: { first: 'OpenQueue' },
  },
  {
    name: 'queue-too-small',
    make: async (world) => {
      await world.create(Queue, 'small-queue', { spec: { capability: { cpu: '1' } } });
      await addToQueue(world, 'small-queue');
    },
    reason: 'NeverFits',
    summary: /more than the whole capability of the queue small-queue, cpu 1/,
    mend: { first: 'RaiseQueue' },
  },
  {
    name: 'queue-used-up',
    make: async (world) => {
      await world.create(Queue, 'busy-queue', { spec: { capability: { cpu: '3' } } });
      await addDeployment(world, { labels: inQueue('busy-queue'), cpu: '1' }, 'first');
      await addPolicy(
        world,
        on('member1'),
        { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
        'all',
      );
      await world.settle();
      await addDeployment(world, { labels: inQueue('busy-queue'), cpu: '1' });
    },
    reason: 'WaitingForQuota',
    summary:
      /waits in the queue busy-queue: it asks for cpu 2, cpu 1 more than is left of the capability of the queue busy-queue, cpu 3; number 1 of 1 in line/,
    mend: { first: 'RaiseQueue' },
  },
  {
    name: 'data-unknown',
    make: async (world) => {
      await world.create(DataSourceClaim, 'sales', claimOf('db.unknown'));
      await addDeployment(world);
      await addPolicy(world, on('member1', 'member2'));
    },
    reason: 'WaitingForData',
    summary: /^waits for hive table db\.unknown \(claim sales: /,
    mend: { first: 'AddData' },
  },
  {
    name: 'data-nowhere-yet',
    make: async (world) => {
      await world.create(DataSource, 'nowhere', sourceOf('db.nowhere'));
      await world.create(DataSourceClaim, 'sales', claimOf('db.nowhere'));
      await addDeployment(world);
      await addPolicy(world, on('member1', 'member2'));
    },
    reason: 'WaitingForData',
    summary: /^waits for hive table db\.nowhere \(claim sales: .*it is in no cluster yet/,
    mend: { first: 'AddData' },
  },
  {
    name: 'data-elsewhere',
    make: async (world) => {
      await world.create(DataSource, 'elsewhere', sourceOf('db.elsewhere', 'member3'));
      await world.create(DataSourceClaim, 'sales', claimOf('db.elsewhere'));
      await addDeployment(world);
      await addPolicy(world, on('member1'));
    },
    reason: 'Unschedulable',
    summary:
      /^no cluster fits: .*the policy allows it, and the data is not there: hive table db\.elsewhere/,
    mend: { first: 'AddClusterToAffinity' },
  },
];
