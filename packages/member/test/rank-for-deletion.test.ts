import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Pod } from '@perigee/kubernetes/core/pod';
import fc from 'fast-check';
import { rankForDeletion } from '../src/pods/rank-for-deletion.ts';

const NOW = Date.UTC(2026, 0, 2);

interface Traits {
  readonly node?: string;
  readonly phase?: 'Pending' | 'Running';
  readonly readyAt?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly created?: string;
}

const pod = (name: string, traits: Traits): Pod => {
  const { node, phase = 'Running', readyAt, cost, restarts = 0 } = traits;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: traits.created ?? '2026-01-01T00:00:00Z',
      ...(cost && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: { containers: [], ...(node && { nodeName: node }) },
    status: {
      phase,
      containerStatuses: [
        { name: 'c', image: '', imageID: '', ready: true, restartCount: restarts },
      ],
      ...(readyAt && {
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: readyAt }],
      }),
    },
  };
};

const READY = { node: 'n', readyAt: '2026-01-01T10:00:00Z' };

/** From what goes first to what stays longest. */
const RANKED: readonly Pod[] = [
  pod('without-a-node', { phase: 'Pending' }),
  pod('pending', { node: 'n', phase: 'Pending' }),
  pod('unready', { node: 'n' }),
  pod('cheap', { ...READY, node: 'm', cost: '-5' }),
  pod('doubled', READY),
  pod('doubled-and-older', { ...READY, readyAt: '2026-01-01T01:00:00Z' }),
  pod('restarted', { ...READY, node: 'o', restarts: 3 }),
  pod('new', { ...READY, node: 'p', created: '2026-01-01T20:00:00Z' }),
  pod('old', { ...READY, node: 'q' }),
];

it('gives up first what costs least to lose, whatever the order they come in', () => {
  const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
  fc.assert(
    fc.property(fc.shuffledSubarray([...RANKED], { minLength: RANKED.length }), (pods) => {
      assert.deepEqual(names(rankForDeletion(pods, pods, NOW)), names(RANKED));
    }),
    { numRuns: 30 },
  );
});
