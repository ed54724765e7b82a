import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bindingName,
  clusterOfExecutionNamespace,
  executionNamespace,
  workName,
} from '@perigee/api/values/karmada-names';

test('bindings and works have the names that Karmada gives them', () => {
  assert.equal(bindingName('Deployment', 'n0'), 'n0-deployment');
  assert.equal(bindingName('ClusterRole', 'system:Node'), 'system.node-clusterrole');
  assert.equal(workName('Deployment', 'n0', 'default'), 'n0-795984cbf7');
});

test('a work of a cluster-scoped resource is hashed without a namespace', () => {
  const name = workName('ClusterRole', 'system:Node');
  assert.match(name, /^system\.node-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  assert.notEqual(name, workName('ClusterRole', 'system:Node', 'default'));
  assert.equal(name, workName('clusterrole', 'system.node', ''));
});

test('the execution namespace tells its cluster', () => {
  assert.equal(executionNamespace('member1'), 'karmada-es-member1');
  assert.equal(clusterOfExecutionNamespace('karmada-es-member1'), 'member1');
  assert.equal(clusterOfExecutionNamespace('default'), undefined);
});
