import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCommand } from '../../src/placement/explain/pod-command.ts';

const explanation = (...findings: readonly object[]) =>
  ({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
    findings,
  }) as never;

const sick = (reason: string, severity = 'degrades') => ({
  stage: 'pods',
  reason,
  severity,
  details: { pods: ['m2/web-1', 'm2/web-2'] },
});

const printed = 'kubectl --context=m2 -n shop logs web-1 --all-containers';
const described = 'kubectl --context=m2 -n shop describe pod web-1';

for (const [reason, command] of [
  ['CrashLoop', printed],
  ['PodFailed', printed],
  ['PodsNotReady', printed],
  ['ImageNotPulled', described],
  ['PodUnschedulable', described],
] as const) {
  test(`explain says how to look at a pod: ${reason}`, () => {
    assert.equal(podCommand(explanation({ stage: 'work' }, sick(reason))), command);
  });
}

test('explain names no pod of which it has seen none, or that is merely starting', () => {
  assert.equal(podCommand(explanation({ stage: 'pods', reason: 'GangsWait' })), undefined);
  assert.equal(podCommand(explanation(sick('PodsStarting', 'info'))), undefined);
});
