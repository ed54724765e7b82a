import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { admit } from '@perigee/api/kind/admit';
import { ResourceInterpreterCustomization } from '@perigee/api/kinds/placement/resource-interpreter-customization';
import { customisedKind } from '@perigee/scheduling/interpreter/customised-kind';

const told = (customizations: object) => ({
  apiVersion: 'config.karmada.io/v1alpha1',
  kind: 'ResourceInterpreterCustomization',
  metadata: { name: 'training' },
  spec: { target: { apiVersion: 'example.com/v1', kind: 'Training' }, customizations },
});

const interpreterOf = (customizations: object) => customisedKind(told(customizations) as never);

const template = (cpu: string) => ({
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu } } }],
    volumes: [{ configMap: { name: 'settings' } }],
  },
});

const object = {
  metadata: { namespace: 'ns' },
  spec: { size: 4, pods: template('2'), mode: 'fast' },
  status: { state: 'Busy', ready: 3, conditions: [{ type: 'Ready', status: 'True' }] },
};

describe('a kind that somebody described', () => {
  it('has replicas that can be counted and changed', () => {
    const { demand, revise } = interpreterOf({
      replicaResource: { replicas: '.spec.size', podTemplate: '.spec.pods' },
      replicaRevision: { replicas: '.spec.size' },
    });
    assert.deepEqual(demand?.(object), {
      replicas: 4,
      requirements: { resourceRequest: { cpu: '2' } },
    });
    const revised = revise?.(object, 9) as typeof object;
    assert.equal(revised.spec.size, 9);
    assert.equal(object.spec.size, 4);
  });

  it('has several kinds of pods', () => {
    const components = [
      { name: 'worker', replicas: '.spec.size', podTemplate: '.spec.pods' },
      { name: 'leader', podTemplate: '.spec.pods' },
    ];
    const found = interpreterOf({ componentResource: { components } }).components?.(object);
    assert.deepEqual(
      found?.map(({ name, replicas }) => `${name}:${replicas}`),
      ['worker:4', 'leader:1'],
    );
  });

  const rules: readonly (readonly [object, string])[] = [
    [{ field: '.status.state', values: ['Busy', 'Done'] }, 'Healthy'],
    [{ field: '.status.state', values: ['Done'] }, 'Unhealthy'],
    [{ conditions: ['Ready'] }, 'Healthy'],
    [{ conditions: ['Ready', 'Trained'] }, 'Unhealthy'],
    [{ field: '.status.state', values: ['Busy'], conditions: ['Trained'] }, 'Unhealthy'],
  ];
  for (const [rule, expected] of rules) {
    it(`is ${expected} by ${JSON.stringify(rule)}`, () => {
      assert.equal(interpreterOf({ healthInterpretation: rule }).health?.(object), expected);
    });
  }

  it('has no health before it has a status', () => {
    const { health } = interpreterOf({ healthInterpretation: { conditions: ['Ready'] } });
    assert.equal(health?.({ spec: {} }), 'Unknown');
  });

  it('leaves to members what is theirs, and reports what is asked for', () => {
    const { retain, reflect, aggregate } = interpreterOf({
      retention: { fields: ['.spec.mode', '.spec.absent'] },
      statusReflection: { fields: ['ready', 'absent'] },
      statusAggregation: { sum: ['ready'] },
    });
    assert.deepEqual(retain?.({ spec: { mode: 'slow', size: 1 } }, object), {
      spec: { mode: 'fast', size: 1 },
    });
    assert.deepEqual(reflect?.(object), { ready: 3 });
    const items = ['a', 'b'].map((clusterName) => ({
      clusterName,
      status: { ready: 3, at: clusterName },
    }));
    assert.deepEqual(aggregate?.({ metadata: {} }, items)?.status, { ready: 6, at: 'a' });
  });

  it('depends on what its pods name', () => {
    const { dependencies } = interpreterOf({
      dependencyInterpretation: { podTemplates: ['.spec.pods'] },
    });
    assert.deepEqual(
      dependencies?.(object).map(({ kind, name }) => `${kind}/${name}`),
      ['ConfigMap/settings'],
    );
  });
});

describe('descriptions of kinds', () => {
  it('are refused when they are scripts, which would not run', () => {
    const script = told({ healthInterpretation: { luaScript: 'function InterpretHealth() end' } });
    assert.throws(
      () => admit(ResourceInterpreterCustomization, script),
      /scripts are not run here/,
    );
  });

  it('are refused when a path is none', () => {
    const bad = told({ replicaResource: { replicas: 'spec.size' } });
    assert.throws(() => admit(ResourceInterpreterCustomization, bad), /replicas/);
  });
});
