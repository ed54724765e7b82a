import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimCopy } from '@perigee/api/kinds/data/claim-copy';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { followCopy } from '../../src/flows/follow-claim-copy.ts';
import { NOON, named, operation } from './operations.ts';

const GIB = 2 ** 30;

const claim = {
  apiVersion: 'datadependency.volcano.sh/v1alpha1',
  kind: 'DataSourceClaim',
  metadata: { name: 'need', namespace: 'default', uid: 'uid-of-need', generation: 1 },
  spec: { onMissing: 'Copy', copyLimit: { bytes: '2Gi', cost: '1' } },
  status: { copied: { copies: 1, bytes: GIB, cost: '0.5' } },
} as unknown as DataSourceClaim;

const copy: ClaimCopy = {
  operation: 'load',
  phase: 'Copying',
  cluster: 'm2',
  from: 'm1',
  bytes: GIB,
  cost: '0.5',
  work: 'Deployment train',
  startTime: '2026-01-01T11:00:00Z',
  generation: 1,
};

/** The bytes of a copy when the last pod had to copy half of the data. */
const countedAfter = (attempts: number) => {
  const result = { bytes: GIB, bytesCopied: GIB / 2, cost: '0.25' };
  const load = operation('DataLoad', {
    metadata: named('load', { ownerReferences: [{ uid: 'uid-of-need' }] }),
    status: { phase: 'Complete', attempts, clusters: [{ name: 'm2', phase: 'Complete', result }] },
  });
  const step = followCopy({ nowMs: NOON, claim, copy, operation: load, costOf: () => 0.5 });
  return step?.kind === 'tell' ? step.copied : undefined;
};

test('a copy counts for what had to be copied', () => {
  assert.deepEqual(countedAfter(1), { copies: 1, bytes: GIB / 2, cost: '0.25' });
});

test('what an attempt that failed has spent is not given back when the next one succeeds', () => {
  assert.deepEqual(countedAfter(2), { copies: 1, bytes: GIB, cost: '0.5' });
});
