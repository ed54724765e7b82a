import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { bindingAfter } from '@perigee/scheduling/placement/binding/binding-after';
import { DISTRIBUTED_TO } from '@perigee/scheduling/placement/binding/distributed-to';

const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' };

const present = (schedulerName: string, annotations = {}): ResourceBinding => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: {
    name: 'web-deployment',
    namespace: 'default',
    uid: 'b',
    resourceVersion: '1',
    creationTimestamp: '',
    annotations,
  },
  spec: { resource, schedulerName, conflictResolution: 'Abort' },
});

const after = (binding: ResourceBinding, schedulerName: string) =>
  bindingAfter(binding, {
    name: 'web-deployment',
    namespace: 'default',
    labels: {},
    annotations: {},
    owner,
    finalizer: 'f',
    spec: { resource, schedulerName, conflictResolution: 'Abort' },
  }).spec.schedulerName;

describe('the scheduler of a binding whose template changes', () => {
  it('stays the one that it was given to', () => {
    assert.equal(after(present('one', { [DISTRIBUTED_TO]: 'one' }), 'default-scheduler'), 'one');
  });

  it('is the one that the policy names', () => {
    assert.equal(after(present('one', { [DISTRIBUTED_TO]: 'one' }), 'mine'), 'mine');
    assert.equal(after(present('mine'), 'default-scheduler'), 'default-scheduler');
    const stale = present('mine', { [DISTRIBUTED_TO]: 'one' });
    assert.equal(after(stale, 'default-scheduler'), 'default-scheduler');
  });
});
