import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { move } from '../../src/move.ts';
import type { MoveResult } from '../../src/move-tree.ts';
import { parseOrder } from '../../src/order.ts';
import { processClock } from '../../src/process-clock.ts';
import type { Progress } from '../../src/progress/progress.ts';
import { type S3Server, startS3 } from './s3-server.ts';
import { ACCESS_KEY, SECRET_KEY } from './s3-signature.ts';
import { scratch } from './trees.ts';

/** Waits for nothing between two attempts. */
export const clock = { ...processClock, delay: async () => {} };

/** A bucket and a folder, and moves between them. */
export interface World extends AsyncDisposable {
  readonly s3: S3Server;
  readonly folder: string;
  /** The last one that was told. */
  readonly progress: () => Progress | undefined;
  readonly run: (from: object, to: object, more?: object) => Promise<MoveResult>;
  readonly bucket: (path: string, more?: object) => object;
  readonly local: (path: string) => object;
}

export const open = async (): Promise<World> => {
  const root = scratch();
  const s3 = await startS3();
  const files = {
    accessKeyFile: join(root.path, 'access'),
    secretKeyFile: join(root.path, 'secret'),
  };
  writeFileSync(files.accessKeyFile, `${ACCESS_KEY}\n`);
  writeFileSync(files.secretKeyFile, SECRET_KEY);
  mkdirSync(join(root.path, 'disk'));
  let progress: Progress | undefined;
  const run = (from: object, to: object, more: object = {}): Promise<MoveResult> => {
    const order = parseOrder(JSON.stringify({ from, to, parallelism: 1, flush: false, ...more }));
    const signal = new AbortController().signal;
    const onProgress = (told: Progress): void => {
      progress = told;
    };
    return move(order, { clock, signal, onProgress });
  };
  return {
    s3,
    progress: () => progress,
    folder: join(root.path, 'disk'),
    run,
    bucket: (path, more = {}) => ({
      kind: 's3',
      endpoint: s3.endpoint,
      region: 'eu-test-1',
      bucket: 'bkt',
      path,
      credentials: files,
      ...more,
    }),
    local: (path) => ({ kind: 'local', root: join(root.path, 'disk'), path }),
    [Symbol.asyncDispose]: async () => {
      await s3[Symbol.asyncDispose]();
      root[Symbol.dispose]();
    },
  };
};

/** The content of the bucket. */
export const texts = ({ objects }: S3Server): Record<string, string> =>
  Object.fromEntries([...(objects ?? [])].map(([key, { bytes }]) => [key, bytes.toString()]));
