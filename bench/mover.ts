import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import { inFolder } from './in-folder.ts';
import { type Load, oneFile, smallFiles } from './mover-loads.ts';
import { besideRcloneOnS3 } from './mover-s3.ts';

const ROUNDS = 3;
const MOVER = new URL('../packages/mover/src/main.js', import.meta.url).pathname;

/** Copies `from` in the folder to `to` in it. */
type Contender = (folder: string) => void;

/** Without flushing, which the others do not do either. */
const mover: Contender = (folder) => {
  const place = (path: string) => ({ kind: 'local', root: folder, path });
  const order = { from: place('from'), to: place('to'), flush: false };
  execFileSync(process.execPath, [MOVER], { input: JSON.stringify(order) });
};

const cp: Contender = (folder) => {
  execFileSync('cp', ['-r', join(folder, 'from'), join(folder, 'to')]);
};

const rclone =
  (binary: string): Contender =>
  (folder) => {
    const args = ['copy', join(folder, 'from'), join(folder, 'to'), '--config', '/dev/null', '-q'];
    execFileSync(binary, args);
  };

const MEGABYTES_PER_MS = 1000 / 1e6;

/** Megabytes per second, in rounds in which everybody has a turn. */
const race = (
  load: Load,
  folder: string,
  contenders: readonly Contender[],
): readonly (readonly number[])[] => {
  const time = (copy: Contender): number => {
    rmSync(join(folder, 'to'), { recursive: true, force: true });
    const startedAt = performance.now();
    copy(folder);
    return (load.bytes / (performance.now() - startedAt)) * MEGABYTES_PER_MS;
  };
  // The first round has to bring the source into memory, and is not counted.
  for (const contender of contenders) time(contender);
  const rounds = Array.from({ length: ROUNDS }, () => contenders.map(time));
  return contenders.map((_, at) => rounds.map((round) => round[at] ?? Number.NaN));
};

/** The mover beside cp, and beside the rclone that PERIGEE_BENCH_RCLONE names, also on its S3 server. */
export const moverBenchmark: Benchmark = {
  name: 'mover',
  run: async () => {
    const binary = process.env.PERIGEE_BENCH_RCLONE;
    const figures: Figure[] = [];
    const megabytes = Number(process.env.PERIGEE_BENCH_FILE_MB ?? 2048);
    const files = Number(process.env.PERIGEE_BENCH_FILES ?? 20_000);
    for (const load of [oneFile(megabytes), smallFiles(files, 10_000)]) {
      await inFolder(async (folder) => {
        load.make(join(folder, 'from'));
        const contenders = [mover, cp, ...(binary ? [rclone(binary)] : [])];
        const [ours = [], copied = [], cloned] = race(load, folder, contenders);
        const unit = 'MB/s';
        const about = { what: `copy ${load.what}`, unit, better: 'more' } as const;
        const beside = (peer: string, goal: number, theirs: readonly number[]) => {
          figures.push(figureOf({ ...about, peer, goal }, { ours, theirs }));
        };
        if (cloned) beside('rclone', 1, cloned);
        beside('cp -r', 0.2, copied);
      });
    }
    if (binary) {
      for (const load of [oneFile(megabytes / 4), smallFiles(files / 5, 10_000)]) {
        figures.push(...(await besideRcloneOnS3(binary, load)));
      }
    }
    return figures;
  },
};
