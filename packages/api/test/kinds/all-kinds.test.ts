import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { ruleProblems } from '@perigee/schema/validate/rule-problems';
import { toCrd } from '../../src/kind/crd.ts';
import { allKinds } from '../../src/kinds/all-kinds.ts';

/** As the upstream projects ship them, where they do: scope, whether status is written apart, short names. */
const AS_SHIPPED: { readonly [crd: string]: string } = {
  'clusters.globalscheduler.com': 'Cluster status gcluster',
  'schedulers.globalscheduler.com': 'Cluster status gscheduler',
  'clusters.cluster.karmada.io': 'Cluster status',
  'clusterrooms.cluster.perigee.io': 'Namespaced',
  'propagationpolicies.policy.karmada.io': 'Namespaced pp',
  'clusterpropagationpolicies.policy.karmada.io': 'Cluster cpp',
  'overridepolicies.policy.karmada.io': 'Namespaced op',
  'clusteroverridepolicies.policy.karmada.io': 'Cluster cop',
  'clustertaintpolicies.policy.karmada.io': 'Cluster',
  'scheduletriggers.policy.karmada.io': 'Cluster status',
  'resourcebindings.work.karmada.io': 'Namespaced status rb',
  'clusterresourcebindings.work.karmada.io': 'Cluster status crb',
  'works.work.karmada.io': 'Namespaced status wk',
  'workloadrebalancers.apps.karmada.io': 'Cluster status',
  'resourceinterpretercustomizations.config.karmada.io': 'Cluster ric',
  'datasources.datadependency.volcano.sh': 'Cluster status dsrc',
  'datasourceclaims.datadependency.volcano.sh': 'Namespaced status dsc',
  'datasets.data.fluid.io': 'Namespaced status dataset',
  'dataloads.data.fluid.io': 'Namespaced status load',
  'datamigrates.data.fluid.io': 'Namespaced status migrate',
  'databackups.data.fluid.io': 'Namespaced status backup',
  'dataprocesses.data.fluid.io': 'Namespaced status process',
  'alluxioruntimes.data.fluid.io': 'Namespaced status alluxio',
  'jindoruntimes.data.fluid.io': 'Namespaced status jindo',
  'juicefsruntimes.data.fluid.io': 'Namespaced status juicefs',
  'efcruntimes.data.fluid.io': 'Namespaced status efc',
  'vineyardruntimes.data.fluid.io': 'Namespaced status v6d',
  'thinruntimes.data.fluid.io': 'Namespaced status',
  'thinruntimeprofiles.data.fluid.io': 'Cluster status',
  'cacheruntimes.data.fluid.io': 'Namespaced status',
  'cacheruntimeclasses.data.fluid.io': 'Cluster status',
  'queues.scheduling.volcano.sh': 'Cluster status q queue-v1beta1',
  // Volcano writes the status of a pod group together with the rest: apart, it would be dropped.
  'podgroups.scheduling.volcano.sh': 'Namespaced pg podgroup-v1beta1',
  'jobs.batch.volcano.sh': 'Namespaced status vcjob vj',
};

const CORE_SHORT_NAMES = `
  cj cm crd crds cs csr deploy ds ep ev hpa ing ip limits netpol no ns pc pdb po pv pvc quota rc rs sa
  sc sts svc vac`.match(/\w+/g);

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scope: string;
    readonly names: {
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories: readonly string[];
    };
    readonly versions: readonly { readonly subresources?: object }[];
  };
}

const crds = allKinds.map((kind) => toCrd(kind) as unknown as Crd);

/** The places whose description is not a sentence. Those of metadata are Kubernetes' own. */
const undocumented = (schema: StructuralSchema, at: string): readonly string[] => [
  ...(/^[A-Z].*[.]$/.test(schema.description ?? '') ? [] : [at]),
  ...Object.entries(schema.properties ?? {})
    .filter(([name]) => at !== '' || name !== 'metadata')
    .flatMap(([name, field]) => undocumented(field, `${at}.${name}`)),
  ...(schema.items ? undocumented(schema.items, `${at}[]`) : []),
  ...(typeof schema.additionalProperties === 'object'
    ? undocumented(schema.additionalProperties, `${at}{}`)
    : []),
];

for (const [index, kind] of allKinds.entries()) {
  const crd = crds[index] ?? assert.fail();
  const { names, scope, versions } = crd.spec;

  describe(crd.metadata.name, () => {
    it('has the scope, subresources and short names that it is shipped with', () => {
      const words = [
        scope,
        ...Object.keys(versions[0]?.subresources ?? {}),
        names.shortNames ?? [],
      ];
      assert.equal(words.flat().join(' '), AS_SHIPPED[crd.metadata.name]);
    });

    it('is found with the other kinds of Perigee', () => {
      assert.equal(names.categories[0], 'perigee');
      assert.equal(new Set(names.categories).size, names.categories.length);
    });

    it('has short names that nothing else has', () => {
      const others = crds.filter((other) => other !== crd).map((other) => other.spec.names);
      const taken = [
        ...(CORE_SHORT_NAMES ?? []),
        ...others.flatMap(({ plural, singular, shortNames = [] }) => [
          plural,
          singular,
          ...shortNames,
        ]),
      ];
      assert.deepEqual(
        (names.shortNames ?? []).filter((name) => taken.includes(name)),
        [],
      );
    });

    it('explains every field in a sentence', () => {
      assert.deepEqual(undocumented(kind.inputSchema, ''), []);
    });

    it('has rules that can all run', () => {
      assert.deepEqual(ruleProblems(kind.inputSchema), []);
    });
  });
}

it('names no kind twice', () => {
  const all = crds.map(({ metadata }) => metadata.name);
  assert.deepEqual(all.toSorted(), Object.keys(AS_SHIPPED).toSorted());
});
