import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A real clock whose days pass when a test says so. */
const clockOfDays = () => {
  let ahead = 0;
  let nextLook: (() => void) | undefined;
  const clock: Clock = {
    ...realClock,
    now: () => realClock.now() + ahead,
    timer: (delayMs, run) => {
      if (delayMs !== HOUR_MS) return realClock.timer(delayMs, run);
      nextLook = run;
      return { [Symbol.dispose]: () => {} };
    },
  };
  const passDays = (days: number): void => {
    ahead += days * DAY_MS;
    nextLook?.();
  };
  return { clock, passDays };
};

const open = async (url: string, servername = ''): Promise<TLSSocket> => {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), servername, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  return socket;
};

const shownBy = (socket: TLSSocket): string => socket.getPeerCertificate().fingerprint256;

const healthOver = (socket: TLSSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''));
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  });

test('certificates are renewed while the server runs, and no connection ends for it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-renewal-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const adminKubeconfig = join(folder, 'admin.conf');
  const { clock, passDays } = clockOfDays();
  await using server = await startEmbeddedServer({
    clock,
    access: 'rbac',
    dataFolder: join(folder, 'data'),
    adminKubeconfig,
  });
  const { admin } = server.pki ?? {};
  const early = await open(server.url);
  const certificate = shownBy(early);
  const member = await open(server.url, 'm1.localhost');
  passDays(300);
  const later = await open(server.url);
  assert.equal(shownBy(later), certificate);

  passDays(36);
  const renewed = await open(server.url);
  assert.notEqual(shownBy(renewed), certificate);
  const renewedMember = await open(server.url, 'm1.localhost');
  assert.notEqual(shownBy(renewedMember), shownBy(member));
  assert.equal(await healthOver(early), 'HTTP/1.1 200 OK');
  assert.equal(await healthOver(renewed), 'HTTP/1.1 200 OK');
  assert.notEqual(server.pki?.admin.cert, admin?.cert);
  const written = Buffer.from(server.pki?.admin.cert ?? '').toString('base64');
  assert.ok(readFileSync(adminKubeconfig, 'utf8').includes(written));
  for (const socket of [early, later, renewed, member, renewedMember]) socket.destroy();
});
