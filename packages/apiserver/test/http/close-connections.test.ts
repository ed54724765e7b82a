import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock as clock } from '@perigee/kube/clock/real-clock';

const CLIENTS = [
  { who: 'says nothing', said: '' },
  { who: 'says half of a request', said: 'GET /livez HTTP/1.1\r\nhost: here\r\n' },
  { who: 'keeps its connection', said: 'GET /livez HTTP/1.1\r\nhost: here\r\n\r\n' },
];

/** The server gives its clients five seconds; the rest is for a busy machine to make keys and certificates. */
const LONGEST_MS = 60_000;

describe('a server with TLS', () => {
  for (const { who, said } of CLIENTS) {
    it(`ends although a client ${who}`, { timeout: LONGEST_MS }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'perigee-close-'));
      const adminKubeconfig = join(folder, 'kubeconfig');
      const server = await startEmbeddedServer({ clock, access: 'rbac', adminKubeconfig });
      const { hostname: host, port } = new URL(server.url);
      const socket = connect({
        host,
        port: Number(port),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      });
      await once(socket, 'secureConnect');
      socket.resume().write(said);
      if (said.endsWith('\r\n\r\n')) await once(socket, 'data');
      const ended = once(socket, 'close');
      await server[Symbol.asyncDispose]();
      await ended;
      assert.equal(socket.destroyed, true);
      rmSync(folder, { recursive: true });
    });
  }
});
