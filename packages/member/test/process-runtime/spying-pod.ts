import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Pod } from '@perigee/kubernetes/core/pod';
import { detectIsolation } from '../../src/isolation/detect-isolation.ts';
import type { Isolation } from '../../src/isolation/isolation.ts';
import { isFinished } from '../../src/pods/pod-state.ts';
import { startMember } from '../../src/start-member.ts';
import { container, createPod } from './process-pods.ts';

/**
 * Runs a pod that looks for what is its operator's, and prints what it found. It is run as a process, so that
 * it can be run by several users.
 */

const SPY = `
  const fs = require('node:fs');
  const [, secret, operator] = process.argv;
  const attempt = (look) => { try { return look(); } catch (error) { return error.code; } };
  const environ = (pid) => attempt(() => fs.readFileSync('/proc/' + pid + '/environ', 'utf8'));
  const status = attempt(() => fs.readFileSync('/proc/self/status', 'utf8'));
  console.log(JSON.stringify({
    variables: Object.keys(process.env).sort(),
    secret: attempt(() => fs.readFileSync(secret, 'utf8')),
    environments: attempt(() => fs.readdirSync('/proc')).filter((pid) => /^[0-9]+$/.test(pid)).map(environ).join(),
    parent: environ(process.ppid),
    operator: environ(operator),
    kill: attempt(() => process.kill(Number(operator), 0)),
    overwrite: attempt(() => fs.accessSync(process.execPath, fs.constants.W_OK)),
    files: fs.readdirSync('/proc/self/fd').map((fd) => attempt(() => fs.readlinkSync('/proc/self/fd/' + fd))),
    user: process.getuid(),
    groups: process.getgroups(),
    noNewPrivileges: /NoNewPrivs:\\t1/.test(status),
    capabilities: /CapEff:\\t(\\w+)/.exec(status)?.[1],
    mounted: fs.readFileSync(process.env.PERIGEE_ROOT + '/etc/name', 'utf8'),
    working: process.cwd().slice(process.env.PERIGEE_ROOT.length),
  }));
`;

const [kind] = process.argv.slice(2);
const detected = await detectIsolation();
const { users } = detected;
const isolation: Isolation = kind === 'user' && users ? { kind, users } : detected;

await using stack = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'perigee-spy-'));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const secret = join(folder, 'data', 'ca.key');
mkdirSync(join(folder, 'data'), { mode: 0o700 });
writeFileSync(secret, 'the key of the operator');

const logger = createLogger({ clock, level: 'warn' });
const { client } = stack.use(await startEmbeddedServer({ clock, logger }));
const processes = {
  allow: true,
  folder: join(folder, 'data', 'processes'),
  hide: [join(folder, 'data')],
  isolation,
} as const;
const member = stack.use(
  await startMember({ client, clock, logger, nodes: [{ count: 1 }], processes }),
);
const args = ['--eval', SPY, secret, String(process.pid)];
await createPod(client, {
  restartPolicy: 'Never',
  containers: [
    container(['node', ...args], {
      workingDir: '/here',
      env: [{ name: 'GIVEN', value: 'yes' }],
      volumeMounts: [
        { name: 'scratch', mountPath: '/scratch' },
        { name: 'about', mountPath: '/etc' },
      ],
    }),
  ],
  volumes: [
    { name: 'scratch', emptyDir: {} },
    {
      name: 'about',
      downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
    },
  ],
});
const finished = async (): Promise<Pod> => {
  for await (const { type, object } of client.watch(Pod, { sendInitialEvents: true })) {
    if (type !== 'BOOKMARK' && isFinished(object as Pod)) return object as Pod;
  }
  throw new Error('the watch ended before');
};
const { metadata, status } = await finished();
const [{ containerID = '' } = {}] = status?.containerStatuses ?? [];
const { name, namespace = '', uid } = metadata;
const request = { name, namespace, uid, container: 'main', containerID, timestamps: false };
let said = '';
const { signal } = new AbortController();
for await (const bytes of member.readPodLog({ ...request, follow: false, signal })) said += bytes;
process.stdout.write(JSON.stringify({ isolation, status, said }));
