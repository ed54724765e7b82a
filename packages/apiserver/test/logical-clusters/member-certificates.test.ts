import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, type PeerCertificate } from 'node:tls';
import { promisify } from 'node:util';
import { realClock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

const run = promisify(execFile);

const startGuarded = async () => {
  const server = await startEmbeddedServer({ clock: realClock, access: 'rbac' });
  await server.openCluster('m1');
  const { pki } = server;
  if (pki === undefined) throw new Error('a server with access control has keys');
  return { server, pki, port: new URL(server.url).port };
};

/** The certificate for a client that checks names, as Node does. */
const shown = (port: string, ca: string, servername: string) =>
  new Promise<PeerCertificate>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), ca, servername }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once('error', reject);
  });

test('the host of a member has a certificate that clients without wildcards accept', async () => {
  const { server, pki, port } = await startGuarded();
  await using _ = server;
  for (const name of ['m1.localhost', 'M1.LOCALHOST', 'localhost']) {
    await assert.doesNotReject(shown(port, pki.authority, name), name);
  }
  const [first, again] = await Promise.all(
    [1, 2].map(() => shown(port, pki.authority, 'm1.localhost')),
  );
  assert.equal(first?.fingerprint256, again?.fingerprint256);
});

test('a certificate does not tell whether there is such a member', async () => {
  const { server, pki, port } = await startGuarded();
  await using _ = server;
  const toldBy = async (name: string) => {
    const { subjectaltname, valid_from, valid_to } = await shown(
      port,
      pki.authority,
      `${name}.localhost`,
    );
    return [subjectaltname?.replaceAll(name, 'x'), valid_from, valid_to];
  };
  const serving = new X509Certificate(pki.serving.cert);
  // Nor does it tell when somebody has first asked for it.
  const [, ...dates] = await toldBy('m1');
  assert.deepEqual(dates, [serving.validFrom, serving.validTo]);
  assert.deepEqual(await toldBy('none'), await toldBy('m1'));
});

test('names that no member can have are shown the certificate of the server', async () => {
  const { server, pki, port } = await startGuarded();
  await using _ = server;
  const { fingerprint256 } = await shown(port, pki.authority, 'localhost');
  for (const name of ['-.localhost', 'a.m1.localhost', `${'m'.repeat(64)}.localhost`]) {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(port),
      servername: name,
      rejectUnauthorized: false,
    });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    assert.equal(socket.getPeerCertificate().fingerprint256, fingerprint256, name);
    socket.destroy();
  }
});

test('many names that nobody has do not lose the one of a member', async () => {
  const { server, pki, port } = await startGuarded();
  await using _ = server;
  for (let at = 0; at < 300; at += 1) await shown(port, pki.authority, `n${at}.localhost`);
  await assert.doesNotReject(shown(port, pki.authority, 'm1.localhost'));
});

test('curl reaches a member by its host with the certificate of a client', async (t) => {
  const { server, pki, port } = await startGuarded();
  await using _ = server;
  const folder = mkdtempSync(join(tmpdir(), 'perigee-curl-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const { cert, key } = pki.issueClient({
    user: 'ann',
    groups: ['system:masters'],
    clusters: ['m1'],
  });
  const flags = ['--silent', '--show-error', '--cacert', file('ca.crt', pki.authority)];
  const who = ['--cert', file('ann.crt', cert), '--key', file('ann.key', key)];
  const get = async (host: string) => {
    const url = `https://${host}:${port}/api/v1/namespaces/default`;
    const resolve = ['--noproxy', '*', '--resolve', `${host}:${port}:127.0.0.1`];
    return (await run('curl', [...flags, ...who, ...resolve, url])).stdout;
  };
  try {
    await run('curl', ['--version']);
  } catch {
    return t.skip('there is no curl');
  }
  assert.match(await get('m1.localhost'), /"name": ?"default"/);
  assert.match(await get('localhost'), /"code": ?401/);
});
