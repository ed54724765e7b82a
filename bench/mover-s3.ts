import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Figure, figureOf } from './figure.ts';
import { inFolder } from './in-folder.ts';
import type { Load } from './mover-loads.ts';

const ROUNDS = 3;
const MOVER = new URL('../packages/mover/src/main.js', import.meta.url).pathname;
const MEGABYTES_PER_MS = 1000 / 1e6;
const [ACCESS_KEY, SECRET_KEY] = ['bench', 'bench-secret'];

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** The most memory that a process had, in MB, as long as it can be asked. */
const memoryOf = (pid: number): number => {
  try {
    const [, kilobytes] =
      /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) / 1000;
  } catch {
    return 0;
  }
};

/** The end of what a program has said: there it tells why it failed. */
const tail = (text: string): string => text.slice(-2000).trim();

interface Ran {
  readonly ms: number;
  readonly megabytes: number;
}

const run = (program: string, args: readonly string[], input = ''): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let megabytes = 0;
    const child = execFile(program, [...args], { maxBuffer: 2 ** 26 }, (error, report, said) => {
      clearInterval(watch);
      // The mover tells its failure in the report, and Node.js may have warned of something else.
      if (error) reject(new Error(`${program} ${args.join(' ')}: ${tail(report)}\n${tail(said)}`));
      else resolve({ ms: performance.now() - startedAt, megabytes });
    });
    const watch = setInterval(() => {
      megabytes = Math.max(megabytes, memoryOf(child.pid ?? 0));
    }, 20);
    child.stdin?.end(input);
  });

/** rclone's own S3 server, on a folder of this machine. */
const serve = async (rclone: string, folder: string) => {
  const address = `127.0.0.1:${await freePort()}`;
  const keys = `${ACCESS_KEY},${SECRET_KEY}`;
  const args = [
    'serve',
    's3',
    '--addr',
    address,
    '--auth-key',
    keys,
    '--config',
    '/dev/null',
    folder,
  ];
  const child = spawn(rclone, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`rclone serve s3 ended: ${said}`)));
    child.stderr.on('data', (text) => {
      said = tail(`${said}${text}`);
      if (said.includes('Starting')) resolve();
    });
  });
  return {
    endpoint: `http://${address}`,
    /** Does what needs the server, and tells what that has said when it fails. */
    during: async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        throw new Error(`${(error as Error).message}\nrclone serve s3: ${said}`);
      }
    },
    [Symbol.dispose]: () => void child.kill(),
  };
};

/** The mover and rclone with the same S3 server, up to it and down from it. */
export const besideRcloneOnS3 = async (rclone: string, load: Load): Promise<readonly Figure[]> =>
  inFolder(async (folder) => {
    const store = join(folder, 'store');
    mkdirSync(join(store, 'bkt'), { recursive: true });
    load.make(join(folder, 'from'));
    using server = await serve(rclone, store);
    const files = { accessKeyFile: join(folder, 'id'), secretKeyFile: join(folder, 'key') };
    writeFileSync(files.accessKeyFile, ACCESS_KEY);
    writeFileSync(files.secretKeyFile, SECRET_KEY);
    const config = join(folder, 'rclone.conf');
    const login = `access_key_id = ${ACCESS_KEY}\nsecret_access_key = ${SECRET_KEY}\n`;
    const remote = `[s3]\ntype = s3\nprovider = Rclone\nendpoint = ${server.endpoint}\n`;
    writeFileSync(config, `${remote}${login}use_multipart_etag = false\n`, { mode: 0o600 });
    const s3 = { kind: 's3', endpoint: server.endpoint, bucket: 'bkt', credentials: files };
    const local = { kind: 'local', root: folder };
    const mover = (from: object, to: object) =>
      server.during(run(process.execPath, [MOVER], JSON.stringify({ from, to, flush: false })));
    const clone = (from: string, to: string) =>
      server.during(run(rclone, ['copy', from, to, '--config', config, '-q']));
    // Each has a place of its own, because the server remembers what was in a folder.
    const ways = {
      to: async (round: number) => ({
        ours: await mover({ ...local, path: 'from' }, { ...s3, path: `ours${round}` }),
        theirs: await clone(join(folder, 'from'), `s3:bkt/theirs${round}`),
      }),
      from: async (round: number) => {
        rmSync(join(folder, 'back'), { recursive: true, force: true });
        const ours = await mover({ ...s3, path: 'ours0' }, { ...local, path: 'back/ours' });
        return {
          ours,
          theirs: await clone('s3:bkt/ours0', join(folder, 'back/theirs', `${round}`)),
        };
      },
    };
    const figures: Figure[] = [];
    for (const [way, race] of Object.entries(ways)) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await race(round));
      const peer = 'rclone';
      const speed = { what: `copy ${load.what} ${way} S3`, unit: 'MB/s', better: 'more' } as const;
      const rate = ({ ms }: Ran): number => (load.bytes / ms) * MEGABYTES_PER_MS;
      const ours = rounds.map((round) => rate(round.ours));
      const theirs = rounds.map((round) => rate(round.theirs));
      figures.push(figureOf({ ...speed, peer, goal: 1 }, { ours, theirs }));
      const room = {
        what: `memory to copy ${load.what} ${way} S3`,
        unit: 'MB',
        better: 'less',
      } as const;
      const memory = {
        ours: rounds.map((round) => round.ours.megabytes),
        theirs: rounds.map((round) => round.theirs.megabytes),
      };
      figures.push(figureOf({ ...room, peer, goal: 0.2 }, memory));
    }
    return figures;
  });
