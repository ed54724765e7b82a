import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Job } from '@perigee/api/kinds/groups/job';
import type { StatefulSet } from '@perigee/kubernetes/apps/stateful-set';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { decideStatefulSet } from '../src/stateful-set/decide-stateful-set.ts';
import { decideJob } from '../src/volcano-job/decide-job.ts';

const MOST = 2_147_483_647;
const metadata = { namespace: 'default', name: 'many', uid: 'u' };
const spec = { containers: [{ name: 'main', image: 'nginx' }] };

describe('two billion replicas are not counted one by one', () => {
  const set = (podManagementPolicy: string) =>
    ({
      metadata,
      spec: { replicas: MOST, podManagementPolicy, selector: {}, template: { spec } },
    }) as never as StatefulSet;

  it('of a StatefulSet that starts them all at once', () => {
    const { create, remove } = decideStatefulSet(set('Parallel'), [], 'r', 0);
    assert.deepEqual([create.length, create.at(-1), remove], [500, 499, []]);
  });

  it('of one that waits for an outdated pod', () => {
    const pod = {
      metadata: { ...metadata, name: 'many-0', labels: { 'controller-revision-hash': 'old' } },
      spec,
      status: { phase: 'Pending' },
    } as never as Pod;
    const { create, remove } = decideStatefulSet(set('OrderedReady'), [pod], 'r', 0);
    assert.deepEqual([create, remove], [[], [pod]]);
  });

  it('of a task', () => {
    const task = { name: 'worker', replicas: MOST, template: { spec } };
    const job = { metadata, spec: { tasks: [task], queue: 'default', maxRetry: 3 } };
    const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, terminating: 0, unknown: 0 };
    const { create } = decideJob(job as never as Job, [], counts as never, true, 0);
    assert.deepEqual([create.length, create.at(-1)?.metadata.name], [500, 'many-worker-499']);
  });
});
