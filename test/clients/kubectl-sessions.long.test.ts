import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { kubectlBinary } from './client-binaries.ts';
import { openKubectlShell } from './kubectl-shell.ts';
import { playSession } from './session.ts';

const { path: kubectl, skip: missing } = kubectlBinary();
const folder = new URL('./sessions/', import.meta.url).pathname;
const sessions = readdirSync(folder).filter((name) => name.endsWith('.txt'));

/** Another kubectl words things differently, whatever the server says. */
const otherVersion = (): string | false => {
  const about = execFileSync(kubectl, ['version', '--client', '--output=json'], {
    encoding: 'utf8',
  });
  const { gitVersion } = JSON.parse(about).clientVersion;
  return (
    !gitVersion.startsWith('v1.36.') && `recorded with kubectl 1.36, and this is ${gitVersion}`
  );
};
const skip = missing || otherVersion();

/** Tokens come only from a server that looks at them. */
const ASKED_WHO_THEY_ARE = ['token'];

/** The sessions were recorded with a real kube-apiserver: the embedded one says the same, word for word. */
suite('kubectl shows what it shows on Kubernetes', { skip, concurrency: 2 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'perigee-sessions-'));
  const adminKubeconfig = join(home, 'kubeconfig');
  let open: EmbeddedServer;
  let guarded: EmbeddedServer;
  before(async () => {
    // No kube-controller-manager ran beside the real one.
    const options = { clock: realClock, clusterControllers: false } as const;
    [open, guarded] = await Promise.all([
      startEmbeddedServer(options),
      startEmbeddedServer({ ...options, access: 'rbac', adminKubeconfig }),
    ]);
  });
  after(async () => {
    await Promise.all([open, guarded].map((server) => server[Symbol.asyncDispose]()));
    rmSync(home, { recursive: true });
  });

  for (const file of sessions) {
    const name = basename(file, '.txt');
    test(name, async () => {
      const connection = ASKED_WHO_THEY_ARE.includes(name)
        ? [`--kubeconfig=${adminKubeconfig}`]
        : [`--server=${open.url}`, '--kubeconfig=/dev/null'];
      using shell = openKubectlShell({
        kubectl,
        connection,
        namespace: `session-${name}`,
        cwd: join(folder, 'files'),
      });
      await shell.run(`kubectl create namespace session-${name}`);
      const recording = readFileSync(join(folder, file), 'utf8');
      const played = await playSession(shell, recording);
      assert.equal(played, recording);
    });
  }
});
