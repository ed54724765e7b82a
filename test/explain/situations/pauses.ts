import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { DaemonSet } from '@perigee/kubernetes/apps/daemon-set';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { CronJob } from '@perigee/kubernetes/batch/cron-job';
import { Job } from '@perigee/kubernetes/batch/job';
import type { Situation } from '../situation.ts';
import type { SituationWorld } from '../situation-world.ts';
import { addDeployment, addPolicy, on } from '../work-objects.ts';

const select = (world: SituationWorld, apiVersion: string, kind: string) =>
  world.create(PropagationPolicy, 'all', {
    spec: { resourceSelectors: [{ apiVersion, kind }], placement: on('member1') },
  });

const program = (annotations: object) => ({
  metadata: { annotations },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1' }] },
});

const LONG = { 'member.perigee.io/run-for': '10h' };

/** Work that was sent and healthy by its status, and of which nothing runs. */
export const PAUSES: readonly Situation[] = [
  {
    name: 'job-suspended',
    target: 'job/batch',
    make: async (world) => {
      await world.create(Job, 'batch', { spec: { suspend: true, template: program(LONG) } });
      await select(world, 'batch/v1', 'Job');
    },
    reason: 'Paused',
    summary: /^its own spec\.suspend is true, so that it starts nothing$/,
    mend: { first: 'ResumeWork' },
  },
  {
    name: 'cron-job-suspended',
    target: 'cronjob/nightly',
    make: async (world) => {
      const jobTemplate = { spec: { template: program({}) } };
      await world.create(CronJob, 'nightly', {
        spec: { suspend: true, schedule: '0 3 * * *', jobTemplate },
      });
      await select(world, 'batch/v1', 'CronJob');
    },
    reason: 'Paused',
    summary: /^its own spec\.suspend is true, so that it starts nothing$/,
    mend: { first: 'ResumeWork' },
  },
  {
    name: 'cron-job-without-image',
    target: 'cronjob/often',
    make: async (world) => {
      const template = program({ 'member.perigee.io/fail': 'image-pull' });
      const jobTemplate = { spec: { template } };
      await world.create(CronJob, 'often', { spec: { schedule: '* * * * *', jobTemplate } });
      await select(world, 'batch/v1', 'CronJob');
      await world.settle(60_000);
    },
    reason: 'ImageNotPulled',
    summary: /^in place on member1, but \d+ pods? in member1: the image `app:1` cannot be pulled/,
    mend: { none: 'nobody else knows which image it should be' },
  },
  {
    name: 'rollout-paused',
    make: async (world) => {
      await addDeployment(world);
      await world.patch(Deployment, 'web', { spec: { paused: true } });
      await addPolicy(world, on('member1'));
    },
    reason: 'Paused',
    summary: /^its own spec\.paused is true, so that no change of it is rolled out$/,
    mend: { first: 'ResumeWork' },
  },
  {
    name: 'no-node-for-the-daemon-set',
    target: 'daemonset/driver',
    make: async (world) => {
      const labels = { app: 'driver' };
      const spec = {
        nodeSelector: { gpu: 'a100' },
        containers: [{ name: 'main', image: 'app:1' }],
      };
      await world.create(DaemonSet, 'driver', {
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      await select(world, 'apps/v1', 'DaemonSet');
    },
    reason: 'NoNodeSelected',
    summary: /^none of the nodes of member1 is one that it is for$/,
    mend: { none: 'nobody else knows which nodes it is for' },
  },
];
