import { join } from 'node:path';
import { Job } from '@perigee/api/kinds/groups/job';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import type { DemoStep } from '../demo-step.ts';
import type { Stage } from '../stage.ts';

const WORKERS = 4;
const JOB = { namespace: 'default', name: 'train' };

const bindingOfJob = async ({ client }: Stage): Promise<ResourceBinding | undefined> => {
  const { items } = await client.list(ResourceBinding, { namespace: JOB.namespace });
  return items.find(({ spec }) => spec.resource.name === JOB.name);
};

export const holdTraining: DemoStep = {
  title: 'A training job waits, and says why',
  stages: [3],
  why: 'Four workers that start together or not at all, in the queue of their team. They claim features that nobody has made yet. So nothing is scheduled, nothing takes room, and the reason is there for everybody to read.',
  async play(stage) {
    const { DEMO } = stage.variables;
    await stage.type('kubectl', 'apply', '-f', join(DEMO, 'training.yaml'));
    await stage.until('the job is held, because its data is not there', async () => {
      const binding = await bindingOfJob(stage);
      return findCondition(binding?.status?.conditions, 'Admitted')?.reason === 'WaitingForData';
    });
    await stage.type('perigee', 'explain', 'job.batch.volcano.sh/train');
    await stage.type('perigee', 'queue');
  },
};

export const startTraining: DemoStep = {
  title: 'The claim binds, and the job goes there by itself',
  stages: [3, 4, 5],
  why: 'Nobody had to do anything: the finished flow added a location to the data, the claim was bound, the queue let the job through, the scheduler placed it where the data is, and the cluster started its four workers as one gang.',
  async play(stage) {
    await stage.until(`all ${WORKERS} workers run, in tokyo`, async () => {
      const [binding, job] = await Promise.all([bindingOfJob(stage), stage.client.get(Job, JOB)]);
      const clusters = (binding?.spec.clusters ?? []).map(({ name }) => name);
      return clusters.join() === 'tokyo' && job.status?.running === WORKERS;
    });
    await stage.type('perigee', 'explain', 'job.batch.volcano.sh/train');
    await stage.type('perigee', 'list', 'podgroups', '--context', 'tokyo');
  },
};
