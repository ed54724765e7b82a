import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { kubectlBinary } from '../../../../test/clients/client-binaries.ts';
import { startMember } from '../../src/start-member.ts';
import { pidsOfPod } from './pod-pids.ts';

const { path: KUBECTL, skip } = kubectlBinary();
const run = promisify(execFile);

const LOG = '/api/v1/namespaces/default/pods/played/log';
const ANNOTATIONS = { 'member.perigee.io/runtime': 'process' };
const inNode = (script: string) => ['node', '-e', script];

const job = (name: string, script: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    backoffLimit: 0,
    template: {
      metadata: { annotations: ANNOTATIONS },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'none', command: inNode(script) }],
      },
    },
  },
});

const READ = `
  const { readFileSync } = require('node:fs');
  console.log(process.pid, readFileSync(process.env.PERIGEE_ROOT + '/etc/greeting/text', 'utf8'));
  setInterval(() => {}, 1000);
`;

const OBJECTS = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'greeting' }, data: { text: 'hello' } },
  job('sum', 'console.log(1+1)'),
  job('bad', 'console.error("oops"); process.exit(3)'),
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'long', annotations: ANNOTATIONS },
    spec: {
      volumes: [{ name: 'v', configMap: { name: 'greeting' } }],
      containers: [
        {
          name: 'main',
          image: 'none',
          command: inNode(READ),
          volumeMounts: [{ name: 'v', mountPath: '/etc/greeting' }],
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'played' },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  },
];

suite('kubectl', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-kubectl-'));
  const stack = new AsyncDisposableStack();
  const config = join(folder, 'config');
  const connection = [`--kubeconfig=${config}`, '--context=m', `--cache-dir=${folder}/cache`];
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run(KUBECTL, [...connection, ...args])).stdout;

  before(async () => {
    const logger = createLogger({ clock, level: 'warn', write: () => {} });
    const server = stack.use(
      await startEmbeddedServer({
        clock,
        logger,
        access: 'rbac',
        dataFolder: join(folder, 'data'),
        adminKubeconfig: config,
      }),
    );
    const { client, registry } = await server.openCluster('m');
    const processes = { allow: true, folder: join(folder, 'processes') } as const;
    const nodes = [{ count: 1 }];
    const options = { client, clock, logger, nodes, processes, podGroups: false };
    const member = stack.use(await startMember(options));
    stack.use(registry.podLogs?.serve(member.readPodLog));
    const file = join(folder, 'objects.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: OBJECTS }));
    await kubectl('apply', '--validate=false', '-f', file);
  });
  after(async () => {
    await stack.disposeAsync();
    rmSync(folder, { recursive: true, force: true });
  });

  test('waits for a job, and shows what it wrote', async () => {
    await kubectl('wait', '--for=condition=complete', 'job/sum', '--timeout=60s');
    assert.equal(await kubectl('logs', 'job/sum'), '2\n');
  });

  test('sees a job fail with its code', async () => {
    await kubectl('wait', '--for=condition=failed', 'job/bad', '--timeout=60s');
    assert.equal(await kubectl('logs', 'job/bad', '--tail=1'), 'oops\n');
    const code = 'jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}';
    assert.equal(await kubectl('get', 'pods', '-l', 'job-name=bad', '-o', code), '3');
  });

  test('follows a process that reads a ConfigMap, until it is deleted', async () => {
    await kubectl('wait', '--for=condition=ready', 'pod/long', '--timeout=60s');
    const following = spawn(KUBECTL, [...connection, 'logs', '--follow', 'long']);
    const exited = once(following, 'exit');
    const [said] = await once(following.stdout, 'data');
    assert.match(String(said), /^\d+ hello\n$/);
    const uid = await kubectl('get', 'pod', 'long', '-o', 'jsonpath={.metadata.uid}');
    const told = Number.parseInt(String(said), 10);
    const pid = (process.platform === 'linux' ? pidsOfPod(uid)[0] : told) ?? 0;
    assert.equal(process.kill(pid, 0), true);
    await kubectl('delete', 'pod', 'long');
    assert.deepEqual(await exited, [0, null]);
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });

  test('is told that nothing runs in a pod that is only played', async () => {
    await kubectl('wait', '--for=condition=ready', 'pod/played', '--timeout=60s');
    assert.match(await kubectl('logs', 'played'), /^This pod is simulated: .*\n$/);
    await assert.rejects(
      kubectl('logs', 'played', '--previous'),
      /\(BadRequest\): previous terminated container "main" in pod "played" not found/,
    );
  });

  test('is refused the logs without the right to them', async () => {
    const robot = '--as=system:serviceaccount:default:robot';
    await assert.rejects(kubectl(robot, 'get', '--raw', LOG), /cannot get resource "pods\/log"/);
    await kubectl('create', 'role', 'logs', '--verb=get', '--resource=pods/log');
    const account = '--serviceaccount=default:robot';
    await kubectl('create', 'rolebinding', 'logs', '--role=logs', account);
    assert.match(await kubectl(robot, 'get', '--raw', LOG), /^This pod is simulated/);
  });
});
