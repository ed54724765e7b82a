import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { formatTime } from '@perigee/schema/values/time';
import { behaviourOf, STANDARD_DELAYS } from '../src/kubelet/behaviour.ts';
import { nextStep } from '../src/kubelet/next-step.ts';

const DELETED_AT = Date.UTC(2026, 0, 1);
const facts = { hostIP: '172.16.0.1', podIP: '10.0.0.1' };

const ending = (phase: 'Running' | 'Failed', grace: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'default',
    name: 'p',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: formatTime(DELETED_AT - 60_000),
    deletionTimestamp: formatTime(DELETED_AT),
    deletionGracePeriodSeconds: grace,
  },
  spec: { nodeName: 'node-0', containers: [{ name: 'main', image: 'app:1' }] },
  status: { phase, startTime: formatTime(DELETED_AT - 50_000) },
});

const stepAfter = (pod: Pod, ms: number) =>
  nextStep(pod, behaviourOf(pod, STANDARD_DELAYS), facts, DELETED_AT + ms);

test('a pod whose removal was broken off is removed after all', () => {
  assert.equal(stepAfter(ending('Failed', 30), 0).kind, 'remove');
  const marked = ending('Failed', 0);
  assert.deepEqual(
    stepAfter(marked, 0),
    { kind: 'wait', until: DELETED_AT + 5000 },
    'the server is at it',
  );
  assert.equal(stepAfter(marked, 5000).kind, 'remove');
  assert.equal(stepAfter(ending('Running', 0), 0).kind, 'report', 'it has to end first');
});
