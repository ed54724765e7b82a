import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainWork } from '@perigee/scheduling/explain/explain-work';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { CLUSTER, READY, withBinding } from './work-snapshot.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');

/** Work that is well in m1, which has a taint since a minute ago. */
const explainTainted = (placement: object, others: readonly object[] = []) => {
  const taint = { key: 'repair', effect: 'NoExecute', timeAdded: '2026-01-01T00:59:00Z' };
  const tainted = { ...CLUSTER, spec: { taints: [taint] } };
  const item = { ...READY, status: { replicas: 2, readyReplicas: 2 } };
  const { binding, ...snapshot } = withBinding({ placement }, [item], {
    nowMs: NOW,
    clusters: { value: [tainted, ...others] as never },
    world: { clusters: [], rules: standardRules },
  });
  const { value } = binding as never as { readonly value: { readonly metadata: object } };
  const annotations = {
    'policy.karmada.io/applied-placement': JSON.stringify(placement),
    'propagationpolicy.karmada.io/namespace': 'a',
    'propagationpolicy.karmada.io/name': 'web',
  };
  const labels = { 'propagationpolicy.karmada.io/permanent-id': 'some-id' };
  const metadata = { ...value.metadata, annotations, labels };
  return explainWork({ ...snapshot, binding: { value: { ...value, metadata } } } as never);
};

test('work that a taint drives out and that fits nowhere else says that it stays, and why', () => {
  const { state, findings } = explainTainted({});
  assert.equal(state, 'running');
  const [stays] = findings.filter(({ reason }) => reason === 'StaysWhileUnfit');
  assert.equal(stays?.severity, 'info');
  assert.match(
    stays?.message ?? '',
    /^it is to leave m1 \(taint `repair:NoExecute`\), and stays: no other cluster takes it: /,
  );
});

test('work that tolerates a taint for a while says when it is to leave', () => {
  const toleration = { key: 'repair', operator: 'Exists', tolerationSeconds: 100 };
  const { findings } = explainTainted({ clusterTolerations: [toleration] });
  const [leaves] = findings.filter(({ reason }) => reason === 'LeavesCluster');
  assert.equal(
    leaves?.message,
    'it is to leave m1 (taint `repair:NoExecute`) in 40 s, if the taint is there until then',
  );
});

test('work that tolerates a taint for good says nothing of it', () => {
  const toleration = { key: 'repair', operator: 'Exists' };
  const { findings } = explainTainted({ clusterTolerations: [toleration] });
  assert.deepEqual(findings, []);
});
