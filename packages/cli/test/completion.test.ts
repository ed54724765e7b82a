import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { main, openStage, perigee, type Stage } from './command-line.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
  for (const name of ['east', 'edge', 'west']) {
    await stage.server.client.create(ClusterRecord, { metadata: { name }, spec: {} });
  }
});
after(() => stage[Symbol.asyncDispose]());

const complete = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await stage.run(['__complete', ...words]);
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stdout.trimEnd().split('\n');
  return { values: lines.slice(0, -1).map((line) => line.split('\t')[0]), how: lines.at(-1) };
};

describe('completion', () => {
  it('knows commands and options', async () => {
    assert.deepEqual(await complete('unr'), { values: ['unregister'], how: ':4' });
    assert.deepEqual((await complete('list', '--field')).values, ['--field-selector']);
    assert.deepEqual((await complete('status', '--kubec')).values, ['--kubeconfig']);
    assert.deepEqual((await complete('get', '-o', 'y')).values, ['yaml']);
    assert.deepEqual((await complete('completion', '')).values, ['bash', 'fish', 'zsh']);
    assert.deepEqual((await complete('help', 'expl')).values, ['explain']);
  });

  it('asks the server for kinds, names, namespaces', async () => {
    assert.deepEqual((await complete('list', 'schedulers')).values, ['schedulers']);
    assert.deepEqual((await complete('get', 'cluster', 'e')).values, ['east', 'edge']);
    assert.deepEqual((await complete('get', 'cluster/w')).values, ['cluster/west']);
    assert.deepEqual((await complete('unregister', '-name', 'ed')).values, ['edge']);
    assert.deepEqual((await complete('failback', 'e')).values, ['east', 'edge']);
    assert.deepEqual((await complete('get', 'cm', '-n', 'def')).values, ['default']);
    assert.deepEqual((await complete('list', '--context', '')).values.length, 1);
    assert.deepEqual(await complete('explain', 'daemons'), { values: ['daemonsets/'], how: ':6' });
  });

  it('knows the commands of a command, and steps of flows', async () => {
    assert.deepEqual((await complete('flow', 'c')).values, ['cancel']);
    assert.deepEqual(await complete('flow', 'logs', 'datap'), {
      values: ['dataprocess/'],
      how: ':6',
    });
    const spec = { dataset: { name: 'raw' } };
    const metadata = { namespace: 'default', name: 'warm' };
    await stage.server.client.create(DataLoad, { metadata, spec });
    assert.deepEqual((await complete('flow', 'show', 'dataload/w')).values, ['dataload/warm']);
    assert.deepEqual((await complete('flow', 'list', '')).values, []);
  });

  it('leaves files to the shell', async () => {
    assert.deepEqual(await complete('register', '-filename', ''), { values: [], how: ':0' });
    assert.deepEqual(await complete('get', '--kubeconfig', ''), { values: [], how: ':0' });
  });

  it('offers nothing when there is no server, and says nothing', async () => {
    const { code, stdout, stderr } = await perigee(['__complete', 'get', 'cluster', '']);
    assert.deepEqual([code, stdout, stderr], [0, ':4\n', '']);
  });

  it('works in bash', async () => {
    const bin = join(stage.folder, 'bin');
    mkdirSync(bin);
    const launcher = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`;
    writeFileSync(join(bin, 'perigee'), launcher, { mode: 0o755 });
    const script = `
      source <(perigee completion bash)
      COMP_WORDS=(perigee get cluster e); COMP_CWORD=3
      _perigee && echo "\${COMPREPLY[@]}"`;
    const env = { PATH: `${bin}:${process.env.PATH}`, KUBECONFIG: stage.kubeconfig };
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    assert.equal(stdout, 'east edge\n');
  });

  it('prints a script for each shell', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await perigee(['completion', shell]);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`perigee for ${shell}[\\s\\S]*__complete`));
    }
    assert.equal((await perigee(['completion', 'csh'])).code, 2);
  });
});

describe('as a plugin of kubectl', () => {
  it('teaches under the name that kubectl gives it', async () => {
    const env = { PERIGEE_CALLED_AS: 'kubectl perigee' };
    const help = await perigee(['get', '--help'], env);
    assert.match(help.stdout, /^Usage: kubectl perigee get /);
    assert.match(help.stdout, /\n {2}kubectl perigee get cluster -name cluster1\n/);
    const wrong = await perigee(['gett'], env);
    assert.match(
      wrong.stderr,
      /^perigee: unknown command 'gett'\n.*\nRun "kubectl perigee --help"/,
    );
  });
});
