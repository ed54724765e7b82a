import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { claimKey, claimsOf } from '../../src/data/concerned-work.ts';
import { claimOf, lacking } from './claims.ts';

type Selector = NonNullable<DataSourceClaim['spec']['workloadSelector']>;

const isMeant = (workloadSelector: Selector, labels: { readonly [label: string]: string }) => {
  const { spec, ...rest } = lacking(claimOf('c'), 'workload');
  const claim = { ...rest, spec: { ...spec, workloadSelector } };
  const resource = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'j' };
  const find = {
    byKey: (key: string) => (key === claimKey(claim) ? [claim] : []),
    byName: () => undefined,
  };
  const work = { binding: { metadata: {}, spec: { resource } as never }, labels };
  return claimsOf(work, find).length > 0;
};

suite('a selector of a claim', () => {
  const operation = { 'flows.perigee.io/operation': 'DataLoad.uid', needs: 'raw' };

  test('means all work that has what it asks for', () => {
    for (const labels of [{ needs: 'raw' }, operation]) {
      assert.ok(isMeant({ matchLabels: { needs: 'raw' } }, labels));
      assert.ok(isMeant({ matchExpressions: [{ key: 'needs', operator: 'Exists' }] }, labels));
      assert.ok(!isMeant({ matchLabels: { needs: 'other' } }, labels));
    }
  });

  test('does not mean operations, which bring the data, when it asks for no label', () => {
    const notIn = {
      matchExpressions: [{ key: 'tier', operator: 'NotIn' as const, values: ['x'] }],
    };
    for (const selector of [{}, notIn]) {
      assert.ok(isMeant(selector, {}));
      assert.ok(!isMeant(selector, operation));
    }
  });
});
