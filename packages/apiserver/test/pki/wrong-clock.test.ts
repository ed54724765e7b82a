import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ConfigError } from '@perigee/kube/errors';
import { createLogger } from '@perigee/kube/observe/logger';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import { createAuthority } from '@perigee/kube/pki/certificate-authority';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { writeKeyPair } from '../../src/pki/key-pair-files.ts';
import { openPki, type Pki } from '../../src/pki/pki.ts';
import { openSecretFolder, secretsInMemory } from '../../src/pki/secret-files.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const HOUR_MS = 3_600_000;
const root = mkdtempSync(join(tmpdir(), 'perigee-clock-'));
after(() => rmSync(root, { recursive: true }));

const newFolder = (): string => join(mkdtempSync(join(root, 'case-')), 'data');

/** A real clock that is wrong until it is set right, and whose hours pass when a test says so. */
const wrongClock = (aheadMs: number) => {
  let ahead = aheadMs;
  let look: (() => void) | undefined;
  const clock: Clock = {
    ...realClock,
    now: () => realClock.now() + ahead,
    timer: (delayMs, run) => {
      if (delayMs !== HOUR_MS) return realClock.timer(delayMs, run);
      look = run;
      return { [Symbol.dispose]: () => {} };
    },
  };
  const setRight = (): void => {
    ahead = 0;
    look?.();
  };
  return { clock, setRight };
};

/** The first line of an answer over TLS, both sides of which check the other as of the real time. */
const healthOf = (url: string, ca: string, { cert, key }: KeyPair): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port), ca, cert, key }, () => {
      socket.write('GET /api/v1/namespaces/default HTTP/1.1\r\nhost: localhost\r\n\r\n');
    });
    socket.once('error', reject);
    socket.once('data', (data) => {
      resolve(data.toString().split('\r\n')[0] ?? '');
      socket.destroy();
    });
  });

const beginsAfter = ({ cert }: Pick<KeyPair, 'cert'>, now: number): boolean =>
  new X509Certificate(cert).validFromDate.getTime() > now;

const keyOf = (cert: string): string =>
  new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'pem' }).toString();

test('what a clock some weeks ahead made can be used by those whose clocks are right', () => {
  const now = Date.UTC(2030, 0, 1);
  const files = secretsInMemory();
  const ahead = openPki({ files, clock: new VirtualClock({ start: now + 20 * DAY_MS }) });
  const handedOut = ahead.issueClient({ user: 'jane', clusters: ['root'] });
  for (const cert of [ahead.authority, ahead.serving.cert, ahead.admin.cert, handedOut.cert]) {
    assert.equal(beginsAfter({ cert }, now), false);
  }
  const right = openPki({ files, clock: new VirtualClock({ start: now }) });
  assert.equal(right.authority + right.serving.cert, ahead.authority + ahead.serving.cert);
});

for (const years of [1, 30]) {
  test(`a start ${years} years ahead does not keep the next one from being reached`, async () => {
    const dataFolder = newFolder();
    const { clock } = wrongClock(years * YEAR_MS);
    let before: Pki | undefined;
    {
      await using server = await startEmbeddedServer({ clock, access: 'rbac', dataFolder });
      before = server.pki;
    }
    const lines: string[] = [];
    const logger = createLogger({ clock: realClock, write: (line) => void lines.push(line) });
    await using server = await startEmbeddedServer({
      clock: realClock,
      logger,
      access: 'rbac',
      dataFolder,
    });
    assert.ok(server.pki !== undefined && before !== undefined);
    const { authority, admin } = server.pki;
    assert.equal(await healthOf(server.url, authority, admin), 'HTTP/1.1 200 OK');
    assert.equal(keyOf(authority), keyOf(before.authority), 'the key of the authority is the same');
    const isRenewed = authority !== before.authority;
    assert.equal(isRenewed, years === 30);
    assert.equal(
      lines.some((line) => /made by a clock that was ahead.*"validFrom"/.test(line)),
      isRenewed,
    );
    const serials = [before.authority, authority].map(
      (cert) => new X509Certificate(cert).serialNumber,
    );
    assert.equal(new Set(serials).size, isRenewed ? 2 : 1, 'no two have the same number');
  });
}

test('a clock that is set back while the server runs does not shut everybody out', async () => {
  const { clock, setRight } = wrongClock(30 * YEAR_MS);
  await using server = await startEmbeddedServer({
    clock,
    access: 'rbac',
    dataFolder: newFolder(),
  });
  assert.ok(server.pki !== undefined);
  assert.ok(beginsAfter(server.pki.serving, realClock.now()));
  setRight();
  const { authority, admin } = server.pki;
  assert.equal(await healthOf(server.url, authority, admin), 'HTTP/1.1 200 OK');
});

test('an authority from elsewhere that is yet to begin is named, and left as it is', () => {
  const folder = newFolder();
  const files = openSecretFolder(folder);
  const now = Date.UTC(2030, 0, 1);
  const validity = { from: now + DAY_MS, until: now + YEAR_MS };
  const theirs = createAuthority('our company', validity);
  writeKeyPair(files, 'ca', theirs);
  assert.throws(
    () => openPki({ files, clock: new VirtualClock({ start: now }) }),
    (error) =>
      error instanceof ConfigError &&
      /ca\.crt is valid from Jan {2}2 .* 2030 GMT only, and the clock says 2030-01-01/.test(
        error.message,
      ),
  );
  assert.equal(files.readPublic('ca.crt'), theirs.cert);
});
