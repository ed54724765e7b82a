import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { askWebhook } from '@perigee/controllers/data/provision/ask-webhook';
import { ProvisionerConnection } from '@perigee/controllers/data/provision/provisioner-connection';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { readProvisioners } from '@perigee/scheduling/data/provision/provisioner-config';
import { parse, parseAllDocuments } from 'yaml';

/** As users have it, in plain JavaScript. */
const EXAMPLE = new URL('../../examples/provisioner/server.js', import.meta.url).pathname;

const ROOT = new URL('../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The settings of the example, for a server at another port. */
const exampleConfig = (port: number) => {
  const [, configMap] = parseAllDocuments(read('examples/provisioner/plugins.yaml'));
  assert.ok(configMap);
  const { data } = configMap.toJS() as { data: { hive: string } };
  const { bySystem, problems } = readProvisioners({
    hive: data.hive.replace('7681', String(port)),
  });
  assert.equal(problems.size, 0);
  return bySystem.get('hive') ?? assert.fail();
};

test('the example server answers what the document says, and knows data that comes later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-provisioner-'));
  const file = join(folder, 'catalogue');
  writeFileSync(file, read('examples/provisioner/catalogue.txt'));
  const server = spawn(process.execPath, [EXAMPLE, file, '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(server.stdout, 'data');
  const config = exampleConfig(Number(/:(\d+)$/m.exec(String(said).trim())?.[1]));
  const connection = new ProvisionerConnection(config, { headers: {} }, clock);
  const ask = (dataSourceName: string) =>
    askWebhook(
      config,
      connection,
      { system: 'hive', dataSourceType: 'table', dataSourceName },
      { namespace: 'default', name: 'c' },
      AbortSignal.timeout(10_000),
    );
  try {
    const locality = { clusterNames: ['member1'] };
    assert.deepEqual(await ask('db.sales'), { kind: 'found', data: { locality, size: '120Gi' } });
    const missing = { kind: 'missing', message: 'nobody has written db.new', isCertain: true };
    assert.deepEqual(await ask('db.new'), missing);
    writeFileSync(file, 'db.new s3://warehouse-us/new 1Gi\n');
    assert.equal((await ask('db.new')).kind, 'found');
  } finally {
    await connection[Symbol.asyncDispose]();
    server.kill();
    rmSync(folder, { recursive: true });
  }
});

test('the document describes what is asked and answered', () => {
  const { openapi, paths, components } = parse(read('docs/provisioner-api.yaml'));
  assert.match(openapi, /^3\.1/);
  assert.ok(paths['/'].post.responses['200']);
  assert.deepEqual(Object.keys(components.schemas.Answer.properties).sort(), [
    'attributes',
    'found',
    'locality',
    'location',
    'message',
    'name',
    'size',
  ]);
  assert.deepEqual(Object.keys(components.schemas.Question.properties), [
    'apiVersion',
    'kind',
    'claim',
  ]);
});
