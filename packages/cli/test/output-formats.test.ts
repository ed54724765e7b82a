import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { registerCluster } from '@perigee/registration/operations/register-cluster';
import { parse } from 'yaml';
import { openStage } from './command-line.ts';

const stage = await openStage();
after(() => stage[Symbol.asyncDispose]());
const { client } = stage.server;

await registerCluster(client, { metadata: { name: 'c1' }, spec: { type: 'virtual' } });
await client.create(ConfigMap, {
  metadata: { name: 'a', namespace: 'default' },
  data: { on: 'no' },
});
await client.create(Queue, { metadata: { name: 'q' }, spec: { weight: 1 } });

const run = (line: string) => stage.run(line.split(' '));

/** Commands whose answer stays the same while nothing changes. */
const LINES = [
  'api-resources configmaps',
  'list clusters',
  'get cm a',
  'queue',
  'data',
  'flow list',
  'status',
];

describe('-o json and -o yaml', () => {
  for (const line of LINES) {
    it(`say the same of ${line}`, async () => {
      const [json, yaml] = await Promise.all([run(`${line} -o json`), run(`${line} -o yaml`)]);
      assert.deepEqual([json.code, json.stderr, yaml.code, yaml.stderr], [0, '', 0, '']);
      assert.deepEqual(parse(yaml.stdout), JSON.parse(json.stdout));
    });
  }
});
