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
const SIMULATE = { metadata: { annotations: { 'flows.perigee.io/simulate': 'true' } } };
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
  // Their data is on the internet and in buckets of others: members play the operations, as an annotation asks.
  const stop = new AbortController();
  const simulate = async (kind: ResourceKind): Promise<void> => {
    for await (const { type, object } of client.watch(kind, { namespace, signal: stop.signal })) {
      if (type !== 'ADDED') continue;
      const { name } = object.metadata;
      await client.patch(kind, { namespace, name }, { type: 'merge', body: SIMULATE });
    }
  };
  const simulating = [DataLoad, DataMigrate, DataProcess].map((kind) =>
    simulate(kind).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    }),
  );
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
  stop.abort();
  await Promise.all(simulating);
});
