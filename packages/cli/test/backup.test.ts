import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { realClock } from '@perigee/kube/clock/real-clock';
import { Secret } from '@perigee/kubernetes/core/secret';
import { openStage, perigee, type Stage } from './command-line.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
  await stage.server.client.create(Secret, {
    metadata: { name: 'kept', namespace: 'default' },
    data: { text: 'ZmluZCBtZQ==' },
  });
});
after(() => stage[Symbol.asyncDispose]());

const inFolder = (name: string): string => join(stage.folder, name);

test('a backup is taken, restored, and served again', async () => {
  const file = inFolder('a.backup');
  const taken = await stage.run(['backup', file]);
  assert.equal(taken.code, 0, taken.stderr);
  assert.match(
    taken.stdout,
    /a\.backup: \d+ objects at revision \d+, 7 keys and certificates, 0\.\d MB\nsha256: [0-9a-f]{64}\n$/,
  );
  assert.match(taken.stderr, /holds all Secrets and keys: who reads it is administrator/);
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const again = await stage.run(['backup', file]);
  assert.equal(again.code, 5);
  assert.match(again.stderr, /a\.backup is there already; name another file/);

  const data = inFolder('restored');
  const sha256 = taken.stdout.match(/[0-9a-f]{64}/)?.[0] ?? '';
  const restored = await perigee(['restore', file, '--data', data, '--sha256', sha256]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /restored: \d+ objects and 7 keys and certificates, as of \d{4}-/);
  await using server = await startEmbeddedServer({
    clock: realClock,
    access: 'rbac',
    dataFolder: data,
  });
  const ref = { name: 'kept', namespace: 'default' };
  const expected = await stage.server.client.get(Secret, ref);
  assert.deepEqual(await server.client.get(Secret, ref), expected);
  assert.equal(server.pki?.authority, stage.server.pki?.authority);
});

test('a backup that was changed, or is none, is not restored', async () => {
  const file = inFolder('b.backup');
  assert.equal((await stage.run(['backup', file])).code, 0);
  writeFileSync(file, readFileSync(file, 'utf8').replace('ZmluZCBtZQ', 'bG9zdCBtZQ'));
  const data = inFolder('not-restored');
  const changed = await perigee(['restore', file, '--data', data]);
  assert.equal(changed.code, 6);
  assert.match(changed.stderr, /b\.backup was not restored: it does not match its checksum/);
  const missing = await perigee(['restore', inFolder('none'), '--data', data]);
  assert.equal(missing.code, 3);
  assert.equal(existsSync(data), false);
});

test('who may not take a backup is told so, and no file is left', async () => {
  const file = inFolder('c.backup');
  const { pki, url } = stage.server;
  const { cert, key } = pki?.issueClient({ user: 'jane', clusters: ['root'] }) ?? {};
  const encode = (text = ''): string => Buffer.from(text).toString('base64');
  const config = {
    clusters: [
      {
        name: 'c',
        cluster: { server: url, 'certificate-authority-data': encode(pki?.authority) },
      },
    ],
    users: [
      {
        name: 'jane',
        user: { 'client-certificate-data': encode(cert), 'client-key-data': encode(key) },
      },
    ],
    contexts: [{ name: 'jane', context: { cluster: 'c', user: 'jane' } }],
    'current-context': 'jane',
  };
  const kubeconfig = inFolder('jane.conf');
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const { code, stderr } = await perigee(['backup', file], { KUBECONFIG: kubeconfig });
  assert.equal(code, 4, stderr);
  assert.match(stderr, /"jane" cannot get path "\/perigee\/backup"/);
  assert.equal(existsSync(file), false);
});

test('up --repair says what it would drop, and starts nothing before that is told', async () => {
  const data = inFolder('damaged');
  {
    await using store = openLmdbStore({ path: data });
    const object = { metadata: { name: 'x' }, data: { text: 'spoil me' } };
    await store.write('root//configmaps', 'default/x', () => ({ put: object }));
    await store.write('root//configmaps', 'default/y', () => ({ put: { metadata: {} } }));
  }
  const file = join(data, 'data.mdb');
  const spoilt = readFileSync(file, 'latin1').replaceAll('spoil me', 'spoilt !');
  writeFileSync(file, Buffer.from(spoilt, 'latin1'));

  const refused = await perigee(['up', '--data', data, '--port', '0']);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /data\.mdb is damaged: the record of default\/x in root\/\/configmaps/,
  );
  const look = await perigee(['up', '--data', data, '--port', '0', '--repair']);
  assert.equal(look.code, 5);
  assert.match(
    look.stderr,
    /damaged: the record of default\/x in root\/\/configmaps does not match/,
  );
  assert.match(
    look.stderr,
    /1 object can be saved; nothing was changed\..* perigee up --repair=drop/,
  );
  assert.equal(readFileSync(file, 'latin1'), spoilt);
  const wrong = await perigee(['up', '--data', data, '--repair=everything']);
  assert.equal(wrong.code, 2);
  writeFileSync(file, '');
  const emptied = await perigee(['up', '--data', data, '--port', '0']);
  assert.match(emptied.stderr, /data\.mdb is empty: restore a backup with "perigee restore"/);
});
