import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import type { Situation } from '../situation.ts';
import { addDeployment, addPolicy, on } from '../work-objects.ts';

const byName = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }];

const replicasOverride = (path: string) => ({
  spec: {
    resourceSelectors: byName,
    overrideRules: [{ overriders: { plaintext: [{ path, operator: 'replace', value: 1 }] } }],
  },
});

/** One wrong letter, in each place where something is named. */
export const MISSPELT: readonly Situation[] = [
  {
    name: 'kind-misspelt',
    make: async (world) => {
      await addDeployment(world);
      await world.create(PropagationPolicy, 'web', {
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deploymnet', name: 'web' }],
          placement: on('member1'),
        },
      });
    },
    reason: 'NoPolicy',
    summary: /would if its kind were not `Deploymnet` but `Deployment`/,
    mend: { first: 'FixSelector' },
  },
  {
    name: 'region-misspelt',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, {
        clusterAffinity: {
          fieldSelector: {
            matchExpressions: [{ key: 'region', operator: 'In', values: ['eu-wset'] }],
          },
        },
      });
    },
    reason: 'NoClusterFit',
    summary: /region `eu-wset` wanted, this is `eu-west`/,
    mend: { first: 'FixAffinity' },
  },
  {
    name: 'scheduler-misspelt',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('member1'), { schedulerName: 'default-schedular' });
    },
    reason: 'OtherScheduler',
    summary: /the scheduler `default-schedular`, which does not run here$/,
    mend: { first: 'NameScheduler' },
  },
  {
    name: 'queue-misspelt',
    make: async (world) => {
      await world.create(Queue, 'reports', { spec: {} });
      const labels = { 'volcano.sh/queue-name': 'reprots' };
      await addDeployment(world, { labels, cpu: '100m' });
      await addPolicy(world, on('member1'));
    },
    reason: 'QueueUnusable',
    summary: /there is no queue reprots/,
    mend: { first: 'FixQueueName' },
  },
  {
    name: 'data-misspelt',
    make: async (world) => {
      const data = { system: 'hive', locality: { clusterNames: ['member2'] } };
      await world.create(DataSource, 'orders', {
        spec: { ...data, type: 'table', name: 'db.orders' },
      });
      await world.create(DataSourceClaim, 'orders', {
        spec: {
          system: 'hive',
          dataSourceType: 'table',
          dataSourceName: 'db.odrers',
          workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        },
      });
      await addDeployment(world);
      await addPolicy(world, on('member1', 'member2'));
    },
    reason: 'WaitingForData',
    summary: /^waits for hive table db\.odrers/,
    mend: { first: 'FixDataName' },
  },
  {
    name: 'priority-class-misspelt',
    make: async (world) => {
      await world.create(PriorityClass, 'nightly', { value: 10 });
      await addDeployment(world);
      const priorityClassSource = 'KubePriorityClass';
      const schedulePriority = { priorityClassSource, priorityClassName: 'nigthly' };
      await addPolicy(world, on('member1'), { schedulePriority });
    },
    reason: 'PriorityClassMissing',
    summary: /names the PriorityClass nigthly, which does not exist$/,
    mend: { first: 'FixPriorityClass' },
  },
  {
    name: 'override-misspelt',
    make: async (world) => {
      await world.create(OverridePolicy, 'smaller', replicasOverride('/spec/replicas'));
      await addDeployment(world);
      await addPolicy(world, on('member1'), { dependentOverrides: ['smalelr'] });
    },
    reason: 'OverrideMissing',
    summary: /waits for override policies that do not exist: smalelr$/,
    mend: { first: 'FixDependentOverrides' },
  },
  {
    name: 'path-misspelt',
    make: async (world) => {
      await world.create(OverridePolicy, 'smaller', replicasOverride('/spec/replcias'));
      await addDeployment(world);
      await addPolicy(world, on('member1'));
    },
    reason: 'OverrideRefused',
    summary: /^member1: override policy smaller: there is nothing at \/spec\/replcias/,
    mend: { first: 'FixOverride' },
  },
  {
    name: 'node-label-misspelt',
    make: async (world) => {
      const nodeSelector = { 'kubernetes.io/os': 'linxu' };
      await addDeployment(world, { spec: { nodeSelector } });
      await addPolicy(world, on('member1'));
    },
    reason: 'PodUnschedulable',
    summary: /^2 pods in member1: no node takes them: .*didn't match Pod's node affinity\/selector/,
    mend: { first: 'FixNodeSelector' },
  },
];
