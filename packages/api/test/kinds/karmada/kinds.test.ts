import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/json.ts';
import { toCrd } from '../../../src/kind/crd.ts';
import { Cluster } from '../../../src/kinds/karmada/cluster.ts';
import { ClusterOverridePolicy } from '../../../src/kinds/karmada/cluster-override-policy.ts';
import { ClusterPropagationPolicy } from '../../../src/kinds/karmada/cluster-propagation-policy.ts';
import { ClusterResourceBinding } from '../../../src/kinds/karmada/cluster-resource-binding.ts';
import { OverridePolicy } from '../../../src/kinds/karmada/override-policy.ts';
import { PropagationPolicy } from '../../../src/kinds/karmada/propagation-policy.ts';
import { ResourceBinding } from '../../../src/kinds/karmada/resource-binding.ts';
import { ScheduleTrigger } from '../../../src/kinds/karmada/schedule-trigger.ts';
import { Work } from '../../../src/kinds/karmada/work.ts';
import { WorkloadRebalancer } from '../../../src/kinds/karmada/workload-rebalancer.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';

const KINDS = [
  [Cluster, 'clusters.cluster.karmada.io', 'Cluster', true, undefined],
  [PropagationPolicy, 'propagationpolicies.policy.karmada.io', 'Namespaced', false, ['pp']],
  [
    ClusterPropagationPolicy,
    'clusterpropagationpolicies.policy.karmada.io',
    'Cluster',
    false,
    ['cpp'],
  ],
  [OverridePolicy, 'overridepolicies.policy.karmada.io', 'Namespaced', false, ['op']],
  [ClusterOverridePolicy, 'clusteroverridepolicies.policy.karmada.io', 'Cluster', false, ['cop']],
  [ScheduleTrigger, 'scheduletriggers.policy.karmada.io', 'Cluster', true, undefined],
  [ResourceBinding, 'resourcebindings.work.karmada.io', 'Namespaced', true, ['rb']],
  [ClusterResourceBinding, 'clusterresourcebindings.work.karmada.io', 'Cluster', true, ['crb']],
  [Work, 'works.work.karmada.io', 'Namespaced', true, ['wk']],
  [WorkloadRebalancer, 'workloadrebalancers.apps.karmada.io', 'Cluster', true, undefined],
] as const;

const undocumented = (schema: StructuralSchema, at: string): readonly string[] => [
  ...(/\.$/.test(schema.description ?? '') ? [] : [at]),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    undocumented(field, `${at}.${name}`),
  ),
  ...(schema.items ? undocumented(schema.items, `${at}[]`) : []),
  ...(typeof schema.additionalProperties === 'object'
    ? undocumented(schema.additionalProperties, `${at}{}`)
    : []),
];

for (const [kind, name, scope, hasStatus, shortNames] of KINDS) {
  test(`${kind.kind} has the names, scope and subresources of upstream`, () => {
    const { metadata, spec } = toCrd(kind) as { metadata: JsonObject; spec: JsonObject };
    const [version] = spec.versions as unknown as readonly JsonObject[];
    const names = spec.names as JsonObject;
    assert.equal(metadata.name, name);
    assert.equal(spec.scope, scope);
    assert.deepEqual(names.shortNames, shortNames);
    assert.deepEqual(names.categories, ['perigee', 'karmada-io']);
    assert.deepEqual(version?.subresources, hasStatus ? { status: {} } : undefined);
  });

  test(`${kind.kind} explains every field in a sentence`, () => {
    assert.deepEqual(
      Object.entries(kind.schema.properties ?? {})
        .filter(([field]) => field !== 'metadata')
        .flatMap(([field, schema]) => undocumented(schema, field)),
      [],
    );
  });
}
