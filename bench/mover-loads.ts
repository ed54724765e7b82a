import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@perigee/kube/clock/seeded-random';

const MEGABYTE = 2 ** 20;

/** A tree to copy. */
export interface Load {
  readonly what: string;
  readonly bytes: number;
  readonly make: (folder: string) => void;
}

/** Bytes that differ, so that no file system can take a short cut. */
const fill = (bytes: Buffer, random: () => number): Buffer => {
  for (let at = 0; at + 4 <= bytes.length; at += 4)
    bytes.writeUInt32LE((random() * 2 ** 32) >>> 0, at);
  return bytes;
};

export const oneFile = (megabytes: number): Load => ({
  what: `1 file of ${megabytes} MiB`,
  bytes: megabytes * MEGABYTE,
  make: (folder) => {
    mkdirSync(folder);
    const fd = openSync(join(folder, 'file'), 'w');
    const block = fill(Buffer.alloc(MEGABYTE), seededRandom(1));
    for (let at = 0; at < megabytes; at++) {
      block.writeUInt32LE(at);
      writeSync(fd, block);
    }
    closeSync(fd);
  },
});

export const smallFiles = (count: number, size: number): Load => ({
  what: `${count.toLocaleString('en')} files of ${size / 1000} kB`,
  bytes: count * size,
  make: (folder) => {
    const random = seededRandom(2);
    const block = Buffer.alloc(size);
    for (let at = 0; at < count; at++) {
      const inner = join(folder, `d${at % 100}`);
      if (at < 100) mkdirSync(inner, { recursive: true });
      writeFileSync(join(inner, `f${at}`), fill(block, random));
    }
  },
});
