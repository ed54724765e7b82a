import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/**
 * Builds what `npm pack` packs of packages/sdk: plain JavaScript for Node.js 20, with everything inside that it needs,
 * and its types. Prints how large they are.
 */
const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'packages/sdk/dist');

const isKind = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null && 'definition' in value && 'plural' in value;

/**
 * A client needs the names of kinds, and no schemas: the server judges what it is given. Modules that export nothing
 * but kinds are replaced by these names.
 */
const namesOfKinds: Plugin = {
  name: 'names-of-kinds',
  setup: ({ onLoad }) => {
    onLoad({ filter: /packages\/api\/src\/kinds\/.*\.ts$/ }, async ({ path }) => {
      const exported = Object.entries<unknown>(await import(path));
      if (exported.length === 0 || !exported.every(([, value]) => isKind(value))) return undefined;
      const lines = exported.map(([name, value]) => {
        const { group, version, kind, plural, scope } = value as { [field: string]: unknown };
        return `export const ${name} = ${JSON.stringify({ group, version, kind, plural, scope })};`;
      });
      return { contents: lines.join('\n'), loader: 'js' };
    });
  },
};

/** Likewise, what the server stores it has validated: the language of rules would be half of the package. */
const noValidation: Plugin = {
  name: 'no-validation',
  setup: ({ onLoad }) => {
    onLoad({ filter: /packages\/api\/src\/schema\/validate\.ts$/ }, () => ({
      contents: 'export const compileValidator = () => () => [];',
      loader: 'js',
    }));
  },
};

/** What Node.js 20 lacks, as far as it is used. */
const SHIMS = `
const groupBy = (items, keyOf) => {
  const groups = new Map();
  let at = 0;
  for (const item of items) {
    const key = keyOf(item, at++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};
export { groupBy as __perigee_groupBy };
`;

const bundle = async (folder: string): Promise<void> => {
  const shims = join(folder, 'shims.js');
  writeFileSync(shims, SHIMS);
  await build({
    entryPoints: [join(ROOT, 'packages/sdk/src/index.ts')],
    outdir: DIST,
    bundle: true,
    splitting: true,
    chunkNames: '[name]',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: [namesOfKinds, noValidation],
    inject: [shims],
    define: { 'Map.groupBy': '__perigee_groupBy' },
  });
};

const PACKAGES = ['api', 'kube', 'kubernetes', 'registration', 'scheduling'];

const emitTypes = (folder: string): void => {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      removeComments: false,
      outDir: folder,
      rootDir: join(ROOT, 'packages'),
      typeRoots: [join(ROOT, 'node_modules/@types')],
      // As source files, and not as libraries, of which no types would be made.
      paths: Object.fromEntries(
        PACKAGES.map((name) => [`@perigee/${name}/*`, [join(ROOT, 'packages', name, 'src/*.ts')]]),
      ),
    },
    include: [],
    files: [join(ROOT, 'packages/sdk/src/index.ts')],
  };
  const file = join(folder, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(config));
  const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', file], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the types cannot be made:\n${stdout}`);
};

const IMPORT = /(from\s*|import\(\s*|import\s+)(['"])([^'"]+)\2/g;

/** The file of types that an import means; nothing for what is not ours. */
const meant = (from: string, specifier: string, folder: string): string | undefined => {
  const [, name, path] = /^@perigee\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name !== undefined) return join(folder, name, 'src', `${path}.d.ts`);
  if (!specifier.startsWith('.')) return undefined;
  return join(dirname(from), specifier).replace(/\.ts$/, '.d.ts');
};

/** Where types of a package are in the result: those of the SDK itself at its top. */
const placeOf = (file: string, folder: string): string =>
  join(
    DIST,
    relative(folder, file)
      .replace(/^sdk\/src\//, '')
      .replace(/^([^/]+)\/src\//, 'types/$1/'),
  );

/** Takes over the types that are reached from those of the SDK, with imports that need no other package. */
const collectTypes = (folder: string): void => {
  const open = [join(folder, 'sdk/src/index.d.ts')];
  for (let at = 0; at < open.length; at++) {
    const file = open[at] as string;
    const text = readFileSync(file, 'utf8').replace(
      IMPORT,
      (whole, start: string, quote: string, specifier: string) => {
        const target = meant(file, specifier, folder);
        if (target === undefined) return whole;
        if (!open.includes(target)) open.push(target);
        const path = relative(dirname(placeOf(file, folder)), placeOf(target, folder));
        const way = path.startsWith('.') ? path : `./${path}`;
        return `${start}${quote}${way.replace(/\.d\.ts$/, '.js')}${quote}`;
      },
    );
    const place = placeOf(file, folder);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
};

const folder = mkdtempSync(join(tmpdir(), 'perigee-sdk-'));
try {
  rmSync(DIST, { recursive: true, force: true });
  await bundle(folder);
  emitTypes(folder);
  collectTypes(folder);
  const { size } = statSync(join(DIST, 'index.js'));
  console.error(`packages/sdk/dist/index.js: ${(size / 1024).toFixed(0)} KiB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
