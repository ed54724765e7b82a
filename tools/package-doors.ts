import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The files of a package that others may import: its `exports`, beside those that others really import. */
export interface Doors {
  readonly pkg: string;
  /** The listed paths, without the leading `./`. */
  readonly listed: readonly string[];
  /** Each path that is imported, with a file outside of the package that does so. */
  readonly importers: ReadonlyMap<string, string>;
  /** The imported paths behind which there is no file. */
  readonly missing: readonly string[];
}

const IMPORTERS: readonly string[] = [
  'packages/*/{src,test}/**/*.{ts,tsx}',
  '{bench,test,tools}/**/*.ts',
  '{docs,examples}/**/*.{md,ts,js}',
];
const IMPORT =
  /(?:from|import|import\(|import\.meta\.resolve\()\s*['"]@perigee\/([a-z-]+)\/([\w./-]+)['"]/g;

/** The file of a package that is imported by a path; programs begin with a file of JavaScript. */
const fileOf = (root: string, pkg: string, path: string): string | undefined =>
  [`${path}.ts`, `${path}.js`].find((file) => existsSync(join(root, 'packages', pkg, 'src', file)));

const manifestOf = (root: string, pkg: string): string =>
  join(root, 'packages', pkg, 'package.json');

const packageOf = (file: string): string | undefined => /^packages\/([^/]+)\//.exec(file)?.[1];

/** Every package whose files are imported one by one; what is built for others has one door, and stays as it is. */
export const findDoors = (root: string): readonly Doors[] => {
  const importers = new Map<string, Map<string, string>>();
  for (const file of IMPORTERS.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()) {
    const own = packageOf(file);
    for (const [, pkg = '', path = ''] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      if (pkg === own) continue;
      const imported = importers.get(pkg) ?? new Map<string, string>();
      if (!imported.has(path)) imported.set(path, file);
      importers.set(pkg, imported);
    }
  }
  return globSync('packages/*/package.json', { cwd: root })
    .sort()
    .flatMap((file) => {
      const pkg = basename(join(file, '..'));
      const { exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'));
      if ('.' in exports) return [];
      const listed = Object.keys(exports).map((path) => path.replace(/^\.\//, ''));
      const imported = importers.get(pkg) ?? new Map<string, string>();
      const missing = [...imported.keys()].filter((path) => fileOf(root, pkg, path) === undefined);
      return [{ pkg, listed, importers: imported, missing }];
    });
};

/** A sentence for each file that is imported and not listed, listed and not imported, or not there. */
export const doorProblems = (doors: readonly Doors[]): readonly string[] =>
  doors.flatMap(({ pkg, listed, importers, missing }) => [
    ...missing.map(
      (path) => `${importers.get(path)}: imports @perigee/${pkg}/${path}: there is no such file`,
    ),
    ...[...importers]
      .filter(([path]) => !listed.includes(path) && !missing.includes(path))
      .map(
        ([path, file]) =>
          `${file}: imports @perigee/${pkg}/${path}, which packages/${pkg}/package.json does not export`,
      ),
    ...listed
      .filter((path) => !importers.has(path))
      .map(
        (path) => `packages/${pkg}/package.json: exports ./${path}, which no other package imports`,
      ),
  ]);

/** Lists in each package what others import, and nothing else. */
export const writeDoors = (root: string): void => {
  for (const { pkg, importers } of findDoors(root)) {
    const file = manifestOf(root, pkg);
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const exports = Object.fromEntries(
      [...importers.keys()]
        .sort()
        .map((path) => [`./${path}`, `./src/${fileOf(root, pkg, path) ?? `${path}.ts`}`]),
    );
    writeFileSync(file, `${JSON.stringify({ ...manifest, exports }, undefined, 2)}\n`);
  }
};
