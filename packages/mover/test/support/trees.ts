import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own, which is gone afterwards. */
export const scratch = (): { readonly path: string } & Disposable => {
  const path = mkdtempSync(join(tmpdir(), 'perigee-mover-'));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};

/** Content of a tree: text is a file, `-> x` a link, nothing an empty folder. */
export type Tree = { readonly [path: string]: string | Buffer | undefined };

export const plant = (root: string, tree: Tree): void => {
  mkdirSync(root, { recursive: true });
  for (const [path, content] of Object.entries(tree)) {
    const at = join(root, path);
    mkdirSync(join(at, '..'), { recursive: true });
    if (content === undefined) mkdirSync(at, { recursive: true });
    else if (typeof content === 'string' && content.startsWith('-> ')) {
      symlinkSync(content.slice(3), at);
    } else writeFileSync(at, content);
  }
};

/** An old time with a fraction, to see that it is kept. */
export const age = (path: string, seconds: number): void => utimesSync(path, seconds, seconds);

const join2 = (folder: Buffer, name: Buffer): Buffer =>
  Buffer.concat([folder, Buffer.from('/'), name]);

/** Everything that counts of a tree, by path. Folders in which copies are made are left out. */
export const look = (root: string): Map<string, string> => {
  const entries = new Map<string, string>();
  const visit = (at: Buffer, path: Buffer): void => {
    const stats = lstatSync(at);
    const mode = (stats.mode & 0o777).toString(8);
    const time = Math.round(stats.mtimeMs);
    const key = path.toString('latin1');
    if (stats.isSymbolicLink()) entries.set(key, `link ${readlinkSync(at)}`);
    else if (stats.isFile()) {
      entries.set(key, `file ${mode} ${time} ${readFileSync(at).toString('latin1')}`);
    } else if (!stats.isDirectory()) entries.set(key, 'special');
    else {
      entries.set(key, `folder ${mode} ${time}`);
      for (const name of readdirSync(at, { encoding: 'buffer' })) {
        if (!name.toString('latin1').startsWith('.perigee-mover')) {
          visit(join2(at, name), path.length === 0 ? name : join2(path, name));
        }
      }
    }
  };
  visit(Buffer.from(root), Buffer.alloc(0));
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** The same without times and rights, as text that is easy to compare. */
export const contents = (root: string): Record<string, string> =>
  Object.fromEntries(
    [...look(root)].map(([path, seen]) => [path, seen.replace(/^(file|folder) \d+ -?\d+ ?/, '')]),
  );
