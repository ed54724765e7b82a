import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Pod } from '@perigee/kubernetes/core/pod';
import { isFinished } from '../../src/pods/pod-state.ts';
import { identityOf } from '../../src/process-runtime/process-identity.ts';
import { type Member, startMember } from '../../src/start-member.ts';
import { pidsOfPod } from './pod-pids.ts';
import { container, createPod, REF, type Spec } from './process-pods.ts';

interface World extends AsyncDisposable {
  readonly client: Client;
  readonly folder: string;
  readonly member: Member;
}

/** Node.js by its name, as it is in the search path of a pod, which need not have that of this process. */
const NODE = 'node';
const isLinux = process.platform === 'linux';

const startWorld = async (prepare = (_folder: string) => {}): Promise<World> => {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'perigee-local-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  prepare(folder);
  const logger = createLogger({ clock, level: 'warn', write: () => {} });
  const { client } = stack.use(await startEmbeddedServer({ clock, logger }));
  const processes = { allow: true, folder, stopMs: 1000 } as const;
  const member = stack.use(
    await startMember({ client, clock, logger, nodes: [{ count: 1 }], processes }),
  );
  return { client, folder, member, [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

/** The first state of the pod that is as wanted. */
const untilPod = async (client: Client, check: (pod: Pod) => boolean): Promise<Pod> => {
  for await (const { type, object } of client.watch(Pod, { sendInitialEvents: true })) {
    if (type !== 'BOOKMARK' && check(object as Pod)) return object as Pod;
  }
  throw new Error('the watch ended before');
};

const terminatedOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.terminated;

const logOf = async ({ member }: World, { metadata, status }: Pod, lines = Infinity) => {
  const [{ containerID = '', name: main = '' } = {}] = status?.containerStatuses ?? [];
  const { name, namespace = '', uid } = metadata;
  const ended = new AbortController();
  const request = { name, namespace, uid, container: main, containerID, timestamps: false };
  let text = '';
  for await (const bytes of member.readPodLog({
    ...request,
    follow: true,
    signal: ended.signal,
  })) {
    text += bytes;
    if (text.split('\n').length > lines) break;
  }
  return text;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A zombie that nobody has buried yet is dead. */
const untilDead = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await clock.yield();
};

describe('a process of this machine', () => {
  const cases: readonly (readonly [string, Spec['containers'][number], object, string])[] = [
    [
      'tells both of its outputs and its code',
      container([NODE, '-e', 'console.log(1 + 1); console.error("no"); process.exitCode = 3']),
      { exitCode: 3, reason: 'Error' },
      '2\nno\n',
    ],
    [
      'tells that a signal ended it',
      container([NODE, '-e', 'process.kill(process.pid, "SIGTERM")']),
      { exitCode: 143, reason: 'Error' },
      '',
    ],
    [
      'is passed nothing through a shell',
      container(['/bin/echo', '$HOME; echo no', '`id`']),
      { exitCode: 0, reason: 'Completed' },
      '$HOME; echo no `id`\n',
    ],
    [
      'that is not there cannot be started',
      container(['/nowhere/at-all']),
      { exitCode: 128, reason: 'StartError' },
      '',
    ],
  ];
  for (const [name, main, expected, output] of cases) {
    it(name, async () => {
      await using world = await startWorld();
      await createPod(world.client, { restartPolicy: 'Never', containers: [main] });
      const pod = await untilPod(world.client, isFinished);
      assert.partialDeepStrictEqual(terminatedOf(pod), expected);
      const lines = (await logOf(world, pod)).split('\n').sort();
      assert.deepEqual(lines, output.split('\n').sort());
    });
  }

  it('ends with its pod, with all that it started', async () => {
    await using world = await startWorld();
    // A child in the group, and one that left it.
    const script = `
      const { spawn } = require('node:child_process');
      const idle = ['-e', 'setInterval(() => {}, 1000)'];
      const near = spawn(process.execPath, idle);
      const far = spawn(process.execPath, idle, { detached: true, stdio: 'ignore' });
      console.log([process.pid, near.pid, far.pid].join(' '));
    `;
    await createPod(world.client, { containers: [container([NODE, '-e', script])] });
    const pod = await untilPod(world.client, ({ status }) => status?.phase === 'Running');
    const told = (await logOf(world, pod, 1)).trim().split(' ').map(Number);
    const pids = isLinux ? pidsOfPod(pod.metadata.uid) : told;
    assert.equal(pids.length, 3);
    assert.deepEqual(pids.map(isAlive), [true, true, true]);
    await world.client.delete(Pod, REF);
    for (const pid of isLinux ? pids : pids.slice(0, 2)) await untilDead(pid);
    if (!isLinux) process.kill(told[2] ?? 0, 'SIGKILL');
  });

  it('ends with its member', async () => {
    const world = await startWorld();
    const idle = 'console.log(process.pid); setInterval(() => {}, 1000)';
    await createPod(world.client, { containers: [container([NODE, '-e', idle])] });
    const pod = await untilPod(world.client, ({ status }) => status?.phase === 'Running');
    const told = Number(await logOf(world, pod, 1));
    const pid = (isLinux ? pidsOfPod(pod.metadata.uid)[0] : told) ?? 0;
    assert.ok(isAlive(pid));
    await world[Symbol.asyncDispose]();
    await untilDead(pid);
  });
});

describe('what a crash left behind', () => {
  it('is killed if it is surely ours, and its files go', async () => {
    const idle = () => {
      const args = ['-e', 'setInterval(() => {}, 1000)'];
      return spawn(process.execPath, args, { detached: true, stdio: 'ignore' });
    };
    const [ours, other] = [idle(), idle()];
    await Promise.all([once(ours, 'spawn'), once(other, 'spawn')]);
    const ended = once(ours, 'exit');
    try {
      await using world = await startWorld((folder) => {
        const pids = join(folder, 'pods', 'gone', 'pids');
        mkdirSync(pids, { recursive: true });
        writeFileSync(join(pids, String(ours.pid)), identityOf(ours.pid as number) ?? '');
        // Somebody else has the number now.
        writeFileSync(join(pids, String(other.pid)), 'another-boot 1');
      });
      await ended;
      assert.ok(isAlive(other.pid as number));
      assert.equal(existsSync(join(world.folder, 'pods', 'gone')), false);
    } finally {
      ours.kill('SIGKILL');
      other.kill('SIGKILL');
    }
  });
});
