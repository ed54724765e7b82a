import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openFolder, type PerigeeProcess, startUp } from '../placement/perigee-process.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const MAIN = join(ROOT, 'packages/cli/src/main.ts');
const LONGEST_MS = 120_000;
const BYTES = 40 * 2 ** 20;
const kubectl = kubectlBinary();

const on = (cluster: string) => ({ clusterAffinity: { clusterNames: [cluster] } });
const object = (kind: string, name: string, spec: object) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});

const parentOf = (pid: number): number =>
  Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** The processes below another one that run a mover with an order. */
const moversBelow = (top: number, order: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        if (!words.some((word) => word.endsWith(`/${order}`))) return false;
        let above = pid;
        while (above > 1 && above !== top) above = parentOf(above);
        return above === top;
      } catch {
        // It is gone.
        return false;
      }
    });

interface State {
  readonly name: string;
  readonly state: string;
  readonly digest: string;
}

/** The fields of a DataLoad's status that the test reads. */
interface Status {
  readonly phase?: string;
  readonly conditions?: readonly object[];
  readonly progress?: { readonly bytesDone: number };
  readonly transfer?: object;
  readonly clusters?: readonly {
    readonly progress?: { readonly bytesDone: number };
    readonly result: {
      readonly bytes: number;
      readonly bytesCopied: number;
      readonly cost: string;
      readonly digest: string;
    };
  }[];
}

describe('a dataset goes from one member to another', { skip: kubectl.skip }, () => {
  const folder = openFolder();
  const samples = join(folder.path, 'samples');
  const data = join(folder.path, 'data');
  const bytes = randomBytes(BYTES);
  let up: PerigeeProcess;

  const run = (program: string, args: readonly string[], input = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, KUBECONFIG: join(data, 'kubeconfig'), HOME: folder.path };
      const options = { env, timeout: LONGEST_MS, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(program, [...args], options, (error, stdout, stderr) =>
        error === null
          ? resolve(stdout)
          : reject(new Error(`${args.join(' ')}: ${stdout}${stderr}`, { cause: error })),
      );
      // The exit code reports a program that did not read its input.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  const k = (args: string, input?: string) =>
    run(kubectl.path ?? '', args.split(' ').filter(Boolean), input);
  const perigee = (...args: readonly string[]) => run(process.execPath, [MAIN, ...args]);
  const statusOf = async (name: string): Promise<Status> =>
    JSON.parse(await k(`get dataload ${name} -o json`)).status ?? {};

  /** Waits until something holds of a DataLoad. */
  const until = async (name: string, holds: (status: Status) => boolean): Promise<Status> => {
    for (let tries = 0; tries < 240; tries++) {
      const status = await statusOf(name);
      if (holds(status)) return status;
      if (status.phase === 'Failed') throw new Error(JSON.stringify(status.conditions));
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`${name} is not there yet: ${JSON.stringify(await statusOf(name))}`);
  };

  before(async () => {
    mkdirSync(samples);
    writeFileSync(join(samples, 'big.bin'), bytes);
    writeFileSync(join(samples, 'numbers.txt'), '1\n2\n3\n');
    up = await startUp(
      data,
      '--port',
      '0',
      '--nodes',
      '1',
      '--run-processes',
      '--host-path',
      samples,
    );
  });
  after(async () => {
    await up[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('killed on either side in the middle it goes on, and nothing listens afterwards', async (t) => {
    if (up.said().includes('isolation of these processes: none')) {
      return t.skip('this machine gives processes no file system of their own');
    }
    const egress = [{ to: '*', bytesPerSecond: '8Mi', pricePerGiB: '0.09' }];
    const patch = JSON.stringify({ spec: { dataTransfer: { egress } } });
    await k(`patch clusters.globalscheduler.com member1 --type=merge -p ${patch}`);
    const objects = [
      object('Dataset', 'raw', {}),
      object('DataMigrate', 'bring', {
        from: { externalStorage: { uri: `local://${samples}` } },
        to: { dataset: { name: 'raw' } },
        placement: on('member1'),
      }),
      object('DataLoad', 'spread', {
        dataset: { name: 'raw' },
        // One piece after the other, so that some are there when it is killed.
        options: { threads: '1' },
        runAfter: { kind: 'DataMigrate', name: 'bring' },
        placement: on('member2'),
      }),
    ];
    for (const one of objects) await k('apply -f -', JSON.stringify(one));
    const isCopying =
      (least: number) =>
      ({ progress }: Status): boolean =>
        (progress?.bytesDone ?? 0) > least;
    await until('spread', isCopying(9 * 2 ** 20));
    const pulling = moversBelow(up.pid, 'order.json');
    assert.ok(pulling.length > 0, 'something copies');
    for (const pid of pulling) process.kill(pid, 'SIGKILL');
    const early: readonly State[] = JSON.parse(await k('get dataset raw -o json')).status.clusters;
    assert.deepEqual(
      early.filter(({ state }) => state === 'Complete').map(({ name }) => name),
      ['member1'],
    );
    await until('spread', isCopying(20 * 2 ** 20));
    const serving = moversBelow(up.pid, 'serve.json');
    assert.ok(serving.length > 0, 'something serves');
    for (const pid of serving) process.kill(pid, 'SIGKILL');
    const { transfer, clusters } = await until('spread', ({ phase }) => phase === 'Complete');
    assert.deepEqual(transfer, { from: 'member1', path: 'Direct' });
    const result = clusters?.[0]?.result;
    assert.equal(result?.bytes, BYTES + 6);
    assert.ok(Number(result?.cost) > 0);
    assert.ok(Number(result?.bytesCopied) < BYTES, 'what was there was not copied again');
    const raw: readonly State[] = JSON.parse(await k('get dataset raw -o json')).status.clusters;
    assert.deepEqual(
      raw.map(({ name, state, digest }) => [name, state, digest]),
      ['member1', 'member2'].map((name) => [name, 'Complete', result?.digest]),
    );
    // Pods of the other member read the very bytes.
    const sum = createHash('sha256').update(bytes).digest('hex');
    const script = object('DataProcess', 'check', {
      dataset: { name: 'raw', mountPath: '/data' },
      processor: { script: { image: 'sh', command: ['sh'], source: 'sha256sum /data/big.bin' } },
      placement: on('member2'),
    });
    await k('apply -f -', JSON.stringify(script));
    await k('wait dataprocess/check --for=jsonpath={.status.phase}=Complete --timeout=60s');
    assert.match(await perigee('flow', 'logs', 'dataprocess/check'), new RegExp(sum));
    assert.match(
      await perigee('flow', 'show', 'bring'),
      /from member1, 40MiB, 2 files, cost 0\.00/,
    );
    assert.deepEqual(moversBelow(up.pid, 'serve.json'), [], 'nothing serves any more');
    const left = await k('--context member1 get jobs,secrets,configmaps -n default -o name');
    assert.equal(left.includes('serve-'), false, left);
    assert.equal((await k('get works -A -o name')).includes('transfer-'), false);
  });
});
