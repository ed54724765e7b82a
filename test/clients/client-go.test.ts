import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { goBinary } from './client-binaries.ts';

const go = goBinary();
const run = promisify(execFile);
const source = new URL('./client-go/', import.meta.url).pathname;

suite('client-go works on the embedded server', { skip: go.skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-client-go-'));
  const program = join(folder, 'client-go');
  let server: EmbeddedServer;

  before(async () => {
    await run(go.path, ['build', '-o', program, '.'], { cwd: source });
    server = await startEmbeddedServer({ clock: realClock });
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await server[Symbol.asyncDispose]();
  });

  const does = async (scenario: string): Promise<string> =>
    (await run(program, [server.url, scenario])).stdout;

  test('a shared informer follows objects that are written in protobuf', async () => {
    assert.equal(await does('informer'), 'added 1, updated 2, deleted\n');
  });

  test('the dynamic client and its informer work on custom objects', async () => {
    assert.equal(await does('dynamic'), 'found a table of hive\n');
  });

  test('apply configurations are applied, refused and forced', async () => {
    assert.equal(await does('apply'), 'two owns red\n');
  });

  test('a leader is elected, and another one after it', async () => {
    assert.equal(await does('lead'), 'one leads, then two\n');
  });
});
