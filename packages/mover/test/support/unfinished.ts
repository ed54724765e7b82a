import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The number of a piece, and its digest. */
const NOTE_BYTES = 36;

/** Unfinished work: whole files by path with their inodes, and the number of noted pieces of others. */
export const unfinished = (root: string) => {
  const workshop = readdirSync(root).find((name) => name.startsWith('.perigee-mover'));
  const whole = new Map<string, number>();
  const pieces = new Map<string, number>();
  let bytes = 0;
  if (workshop === undefined) return { whole, pieces, bytes };
  const tree = join(root, workshop, 'tree');
  const visit = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) {
        const { ino, size } = lstatSync(path);
        whole.set(path, ino);
        bytes += size;
      }
    }
  };
  if (existsSync(tree)) visit(tree);
  const parts = join(root, workshop, 'parts');
  for (const name of existsSync(parts) ? readdirSync(parts) : []) {
    if (!name.endsWith('.pieces')) continue;
    pieces.set(name, Math.floor(lstatSync(join(parts, name)).size / NOTE_BYTES));
  }
  return { whole, pieces, bytes };
};
