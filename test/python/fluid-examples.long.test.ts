import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { openFolder, startUp } from '../placement/perigee-process.ts';
import { fluidExamples, PYTHONPATH, whyNoFluid } from './fluid-package.ts';

const LONGEST_MS = 240_000;
/** The data of the examples is on the internet and in buckets of others: members play their operations. */
const ADMISSION = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  scope: 'Cluster',
} as const;
const POLICIES: ResourceKind = {
  ...ADMISSION,
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
};
const BINDINGS: ResourceKind = {
  ...ADMISSION,
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
};
const SIMULATE = {
  metadata: { name: 'simulate' },
  spec: {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [DataLoad.group],
          apiVersions: ['*'],
          operations: ['CREATE'],
          resources: [DataLoad, DataMigrate, DataProcess].map(({ plural }) => plural),
        },
      ],
    },
    reinvocationPolicy: 'Never',
    failurePolicy: 'Fail',
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression:
            'Object{metadata: Object.metadata{annotations: {"flows.perigee.io/simulate": "true"}}}',
        },
      },
    ],
  },
};
const SIMULATE_ALL = { metadata: { name: 'simulate' }, spec: { policyName: 'simulate' } };
const namespace = 'default';

it('runs every file of the first examples of Fluid as it is', {
  timeout: LONGEST_MS * 2,
}, async (t) => {
  const why = whyNoFluid();
  if (why !== undefined) return t.skip(why);
  const examples = fluidExamples();
  if (examples === undefined) return t.skip('the sources of fluid-pysdk cannot be fetched');
  using folder = openFolder();
  const data = join(folder.path, 'data');
  await using _ = await startUp(data, '--port', '0', '--nodes', '1');
  const kubeconfig = join(data, 'kubeconfig');
  await using client = createHttpClient(await loadClusterConfig({ env: {}, clock, kubeconfig }), {
    clock,
  });
  await client.create(POLICIES, SIMULATE);
  await client.create(BINDINGS, SIMULATE_ALL);
  const ran = new Set<string>();
  const run = async (file: string): Promise<string> => {
    ran.add(file);
    const env = { ...process.env, PYTHONPATH, KUBECONFIG: kubeconfig };
    const options = { env, timeout: LONGEST_MS };
    return (await promisify(execFile)('python3', [join(examples, file)], options)).stdout;
  };

  assert.match(await run('create_dataset_and_runtime.py'), /bound to dataset "demo"/);
  assert.match(
    await run('create_dataload.py'),
    /"default\/demo-dataload-wait" created and succeeded/,
  );
  const told = await run('get_dataset_and_runtime_status.py');
  assert.match(told, /mirrors\.tuna\.tsinghua\.edu\.cn/);
  assert.match(told, /'phase': 'Bound'/);
  // The example of flows works on a dataset that is there already.
  const mounts = [{ mountPoint: 'oss://my-bucket/all' }];
  await client.create(Dataset, {
    metadata: { namespace, name: 'demo-dataset' },
    spec: { mounts, runtimes: [] },
  });
  await run('fluid_dataflow.py');
  const process_ = await client.get(DataProcess, { namespace, name: 'testflow3-step3' });
  assert.equal(process_.status?.phase, 'Complete');
  assert.equal(process_.spec.ttlSecondsAfterFinished, 86_400);
  assert.match(await run('delete_dataset_and_runtime.py'), /cleaned up successfully/);
  assert.equal(await getOrUndefined(client, Dataset, { namespace, name: 'demo' }), undefined);

  assert.deepEqual(
    [...ran].sort(),
    readdirSync(examples)
      .filter((name) => name.endsWith('.py'))
      .sort(),
  );
});
