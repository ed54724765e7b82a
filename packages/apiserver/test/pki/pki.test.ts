import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ConfigError } from '@perigee/kube/errors';
import { openPki } from '../../src/pki/pki.ts';
import { openSecretFolder, secretsInMemory } from '../../src/pki/secret-files.ts';

const DAY_MS = 86_400_000;
const root = mkdtempSync(join(tmpdir(), 'perigee-pki-'));
after(() => rmSync(root, { recursive: true }));

const newFolder = (): string => join(mkdtempSync(join(root, 'case-')), 'pki');
const startAt = (ms: number) => new VirtualClock({ start: ms });
const NOW = Date.UTC(2030, 0, 1);

const open = (folder: string, now = NOW, names: readonly string[] = []) =>
  openPki({ files: openSecretFolder(folder), clock: startAt(now), names });

test('the first start makes keys that only their owner can read, and the next start uses them', () => {
  const folder = newFolder();
  const first = open(folder);
  first.serviceAccountKey('root');
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  const files = readdirSync(folder).sort();
  assert.deepEqual(files, [
    'admin.crt',
    'admin.key',
    'apiserver.crt',
    'apiserver.key',
    'ca.crt',
    'ca.key',
    'sa.key',
  ]);
  for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
  const second = open(folder);
  assert.equal(second.authority, first.authority);
  assert.equal(second.serving.cert, first.serving.cert);
  assert.equal(second.admin.key, first.admin.key);
  assert.equal(second.serviceAccountKey('root'), first.serviceAccountKey('root'));
});

test('the authority lasts ten years and signs all others', () => {
  const { authority, serving, admin } = open(newFolder(), NOW, ['api.example.com', '10.1.2.3']);
  const ca = new X509Certificate(authority);
  const server = new X509Certificate(serving.cert);
  const client = new X509Certificate(admin.cert);
  assert.ok(ca.ca && ca.checkIssued(ca));
  assert.ok(ca.validToDate.getTime() >= NOW + 3650 * DAY_MS);
  assert.ok(server.verify(ca.publicKey) && server.checkIssued(ca));
  assert.ok(client.verify(ca.publicKey) && client.checkIssued(ca));
  for (const name of ['localhost', 'kubernetes.default.svc', 'api.example.com']) {
    assert.ok(server.checkHost(name), name);
  }
  for (const address of ['127.0.0.1', '::1', '10.1.2.3']) assert.ok(server.checkIP(address));
  assert.equal(server.checkHost('other.example.com'), undefined);
  assert.deepEqual(client.toLegacyObject().subject, {
    __proto__: null,
    O: 'system:masters',
    OU: 'perigee:cluster:*',
    CN: 'perigee-admin',
  });
});

test('a serving certificate is renewed when it ends soon or lacks a name', () => {
  const folder = newFolder();
  const first = open(folder);
  assert.equal(open(folder, NOW + 334 * DAY_MS).serving.cert, first.serving.cert);
  const renewed = open(folder, NOW + 336 * DAY_MS);
  assert.notEqual(renewed.serving.cert, first.serving.cert);
  assert.notEqual(renewed.admin.cert, first.admin.cert);
  assert.equal(renewed.authority, first.authority);
  const named = open(folder, NOW + 336 * DAY_MS, ['api.example.com']);
  assert.ok(new X509Certificate(named.serving.cert).checkHost('api.example.com'));
  assert.equal(named.admin.cert, renewed.admin.cert);
  assert.equal(open(folder, NOW + 336 * DAY_MS).serving.cert, named.serving.cert);
});

test('half of a serving certificate, as a crash leaves it, is made anew', () => {
  const folder = newFolder();
  const first = open(folder);
  writeFileSync(join(folder, 'apiserver.key'), first.admin.key);
  const { serving } = open(folder);
  assert.notEqual(serving.cert, first.serving.cert);
  rmSync(join(folder, 'apiserver.crt'));
  assert.notEqual(open(folder).serving.cert, serving.cert);
});

const refuses = (folder: string, message: RegExp, now = NOW): void => {
  assert.throws(
    () => open(folder, now).serviceAccountKey('root'),
    (error) => error instanceof ConfigError && message.test(error.message),
  );
};

test('a key that others can read is refused with what to do', () => {
  const folder = newFolder();
  open(folder).serviceAccountKey('root');
  for (const name of ['ca.key', 'apiserver.key', 'admin.key', 'sa.key']) {
    const path = join(folder, name);
    chmodSync(path, 0o640);
    refuses(
      folder,
      new RegExp(`${name} is open to others \\(mode 0640\\): run chmod 600 .*${name}`),
    );
    chmodSync(path, 0o600);
  }
  chmodSync(join(folder, 'ca.crt'), 0o644);
  open(folder);
  chmodSync(join(folder, 'ca.crt'), 0o666);
  refuses(folder, /ca\.crt is open to others \(mode 0666\)/);
});

test('what is broken or does not fit is named, and nothing is overwritten', () => {
  const folder = newFolder();
  open(folder).serviceAccountKey('root');
  const spoil = (name: string, text: string, message: RegExp): void => {
    const path = join(folder, name);
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, text);
    refuses(folder, message);
    assert.equal(readFileSync(path, 'utf8'), text);
    writeFileSync(path, whole);
  };
  spoil('ca.crt', 'nonsense', /ca\.crt is not a certificate in PEM: restore it/);
  spoil('ca.key', '', /ca\.key is not a private key in PEM/);
  spoil('ca.key', open(newFolder()).admin.key, /ca\.key does not belong to .*ca\.crt/);
  spoil('admin.crt', '-----BEGIN', /admin\.crt is not a certificate/);
  spoil('sa.key', 'x', /sa\.key is not a private key/);
  refuses(
    folder,
    /ca\.crt ended on .*, and the clock says 2040-.*: set the clock if it is wrong; else delete/,
    NOW + 4000 * DAY_MS,
  );
  rmSync(join(folder, 'ca.key'));
  refuses(folder, /ca\.key is missing: restore it/);
});

test('names that no certificate can hold are refused', () => {
  for (const name of ['a, DNS:evil', '', 'UPPER', '*.*.x', 'https://x']) {
    assert.throws(() => open(newFolder(), NOW, [name]), /is no name for a server/, name);
  }
});

test('every cluster has its own signing key', () => {
  const pki = openPki({ files: secretsInMemory(), clock: startAt(NOW) });
  const keys = ['root', 'member1', 'member2'].map((cluster) => pki.serviceAccountKey(cluster));
  assert.equal(new Set(keys).size, 3);
  assert.equal(pki.serviceAccountKey('member1'), keys[1]);
  assert.throws(() => pki.serviceAccountKey('../ca'), /cannot be the name of a cluster/);
});
