import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Pod } from '@perigee/kubernetes/core/pod';
import fc from 'fast-check';
import { rollingBounds } from '../src/deployment/rolling-bounds.ts';
import { isActive, isPodReady } from '../src/pods/pod-state.ts';
import { startCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'web' };

const change = fc.record({
  image: fc.integer({ min: 1, max: 4 }),
  afterMs: fc.integer({ min: 0, max: 6000 }),
});

const rollout = fc.record({
  replicas: fc.integer({ min: 1, max: 8 }),
  maxSurge: fc.constantFrom<number | string>(0, 1, 3, '25%', '50%'),
  maxUnavailable: fc.constantFrom<number | string>(0, 1, 2, '25%', '100%'),
  readyMs: fc.integer({ min: 0, max: 3000 }),
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  seed: fc.integer(),
});

const withImage = (image: string) => ({
  type: 'strategic' as const,
  body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
});

/** The second change meets sets whose statuses still count the pods that the first has taken from them. */
const TWO_CHANGES = {
  replicas: 2,
  maxSurge: 3,
  maxUnavailable: 1,
  readyMs: 0,
  changes: [
    { image: 3, afterMs: 0 },
    { image: 2, afterMs: 0 },
  ],
  seed: 0,
};

it('never has more pods than a rolling update allows, nor fewer that are available', async () => {
  await fc.assert(
    fc.asyncProperty(rollout, async ({ changes, readyMs, seed, ...given }) => {
      fc.pre(![given.maxSurge, given.maxUnavailable].every((bound) => bound === 0));
      await using cluster = await startCluster({ seed, delays: { readyMs } });
      const { client, clock } = cluster;
      const { replicas, maxSurge, maxUnavailable } = given;
      const deployment = await client.create(Deployment, {
        metadata: REF,
        spec: {
          replicas,
          selector: { matchLabels: { app: 'web' } },
          template: template('web'),
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
        },
      });
      const isDone = async (): Promise<boolean> => {
        const { status, metadata }: Deployment = await client.get(Deployment, REF);
        const { updatedReplicas, availableReplicas, observedGeneration } = status ?? {};
        return (
          observedGeneration === metadata.generation &&
          updatedReplicas === replicas &&
          availableReplicas === replicas &&
          status?.replicas === replicas
        );
      };
      await cluster.until(isDone, 60);
      const bounds = rollingBounds(deployment);
      const pods = new Map((await cluster.pods()).map((pod) => [pod.metadata.name, pod]));
      const { metadata } = await client.list(Pod, { namespace: 'default' });
      const problems: string[] = [];
      const stop = new AbortController();
      const watching = (async () => {
        const options = { resourceVersion: metadata.resourceVersion, signal: stop.signal };
        for await (const { type, object } of client.watch(Pod, options)) {
          if (type === 'DELETED') pods.delete(object.metadata.name);
          else pods.set(object.metadata.name, object as Pod);
          const active = [...pods.values()].filter(isActive);
          const ready = active.filter(isPodReady).length;
          if (active.length > replicas + bounds.maxSurge) problems.push(`${active.length} pods`);
          if (ready < replicas - bounds.maxUnavailable) problems.push(`only ${ready} ready`);
        }
      })().catch((error) => {
        if (!stop.signal.aborted) throw error;
      });
      for (const { image, afterMs } of changes) {
        await client.patch(Deployment, REF, withImage(`app:${image}`));
        await clock.advance(afterMs);
      }
      await cluster.until(isDone, 300);
      stop.abort();
      await watching;
      assert.deepEqual(problems, []);
    }),
    { numRuns: 8, examples: [[TWO_CHANGES]] },
  );
});
