import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

/** The packages that each package may import. The order of the house, written once. */
const MAY_IMPORT: { readonly [pkg: string]: readonly string[] } = {
  schema: [],
  api: ['schema'],
  mover: [],
  kubernetes: ['schema', 'api'],
  scheduling: ['schema', 'api'],
  kube: ['schema', 'api', 'kubernetes'],
  admission: ['schema', 'api', 'kubernetes', 'scheduling', 'kube'],
  apiserver: ['schema', 'api', 'kubernetes', 'scheduling', 'kube', 'admission'],
  controllers: ['schema', 'api', 'kubernetes', 'scheduling', 'kube'],
  member: ['schema', 'api', 'kubernetes', 'scheduling', 'kube'],
  registration: ['schema', 'api', 'kubernetes', 'scheduling', 'kube'],
  host: [
    'schema',
    'api',
    'kubernetes',
    'scheduling',
    'kube',
    'apiserver',
    'controllers',
    'member',
    'mover',
    'registration',
  ],
  sdk: ['schema', 'api', 'kubernetes', 'scheduling', 'kube', 'registration'],
  cli: [
    'schema',
    'api',
    'kubernetes',
    'scheduling',
    'kube',
    'admission',
    'apiserver',
    'controllers',
    'member',
    'mover',
    'registration',
    'host',
    'sdk',
  ],
};

/**
 * Imports that only some folders of a package may have. The rest of the API server is machinery that gets its kinds
 * from these (docs/decisions/0046).
 */
const COMPOSITION: {
  readonly [pkg: string]: { readonly imports: RegExp; readonly folders: readonly string[] };
} = {
  apiserver: {
    imports: /^@perigee\/(?:admission|scheduling|api\/kinds)\//,
    folders: ['perigee', 'embedded'],
  },
};

export interface ImportViolation {
  readonly file: string;
  readonly imported: string;
  readonly why: string;
}

/** `… from 'x'`, `import 'x'` and `import('x')`. */
const IMPORT =
  /^\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
const BUILT_IN = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

const importsOf = (source: string): string[] =>
  [...source.matchAll(IMPORT)].flatMap(
    ([, from, plain, dynamic]) => from ?? plain ?? dynamic ?? [],
  );

const packageNameOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** A package that is built brings what it needs inside of it, so that whoever installs it needs nothing else. */
const declaredBy = (folder: string): ReadonlySet<string> => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const isBuilt = manifest.scripts?.prepack !== undefined;
  return new Set(Object.keys((isBuilt ? manifest.devDependencies : manifest.dependencies) ?? {}));
};

const folderOf = (folder: string, file: string): string =>
  relative(join(folder, 'src'), file).split('/')[0] ?? '';

const violationOf = (
  pkg: string,
  folder: string,
  file: string,
  imported: string,
): string | undefined => {
  if (imported.startsWith('.')) {
    const target = resolve(dirname(file), imported);
    if (!target.startsWith(`${join(folder, 'src')}/`))
      return 'a relative import may not leave the package';
    return existsSync(target) ? undefined : 'no such file';
  }
  if (BUILT_IN.has(imported)) return undefined;
  const name = packageNameOf(imported);
  const own = name.startsWith('@perigee/') ? name.slice('@perigee/'.length) : undefined;
  if (own !== undefined && !MAY_IMPORT[pkg]?.includes(own)) return `${pkg} may not import ${own}`;
  const composition = COMPOSITION[pkg];
  if (
    composition?.imports.test(imported) &&
    !composition.folders.includes(folderOf(folder, file))
  ) {
    return `only ${composition.folders.join(' and ')} of ${pkg} may; the rest gets its kinds from these`;
  }
  return declaredBy(folder).has(name)
    ? undefined
    : `${name} is not among the dependencies in packages/${pkg}/package.json`;
};

/** Every import in packages/*\/src that goes against the direction or is not declared. */
export const findImportViolations = (root: string): readonly ImportViolation[] =>
  globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
    .sort()
    .flatMap((path) => {
      const pkg = path.split('/')[1] ?? '';
      const folder = join(root, 'packages', pkg);
      const file = join(root, path);
      if (MAY_IMPORT[pkg] === undefined) {
        return [
          {
            file: path,
            imported: '',
            why: `packages/${pkg} has no place in the order of packages yet`,
          },
        ];
      }
      return importsOf(readFileSync(file, 'utf8')).flatMap((imported) => {
        const why = violationOf(pkg, folder, file, imported);
        return why === undefined ? [] : [{ file: relative(root, file), imported, why }];
      });
    });
