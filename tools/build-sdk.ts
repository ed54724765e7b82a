import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin, transform } from 'esbuild';

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

/** Modules that a client does better without. */
const REPLACED: { readonly [path: string]: string } = {
  // The server has validated its objects: the language of rules would be half of the package.
  'packages/schema/src/validate/validate.ts': 'export const compileValidator = () => () => [];',
  // Node.js 20 reads no whole numbers beyond 2^53 exactly, and a library leaves the globals of its user alone.
  'packages/schema/src/exact-json.ts': `
    export const parseExactJson = (text) => JSON.parse(text);
    export const exactInteger = Number;
    export const exactIntegerOf = (digits, isNegative) => (isNegative ? -1 : 1) * Number(digits);
  `,
};

const replacePlugin: Plugin = {
  name: 'replaced',
  setup: ({ onLoad }) => {
    onLoad({ filter: /packages\/schema\/src\/.*\.ts$/ }, ({ path }) => {
      const contents = REPLACED[relative(ROOT, path)];
      return contents === undefined ? undefined : { contents, loader: 'js' };
    });
  },
};

/** Libraries are made small; our own code stays readable, as users see it in stack traces. */
const smallLibraries: Plugin = {
  name: 'small-libraries',
  setup: ({ onLoad }) => {
    onLoad({ filter: /node_modules\/.*\.m?js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { minify: true });
      return { contents: code, loader: 'js' };
    });
  },
};

/** Shims for features that Node.js 20 lacks. */
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
const withResolvers = () => {
  const resolvers = {};
  resolvers.promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
  return resolvers;
};
export { groupBy as __perigee_groupBy, withResolvers as __perigee_withResolvers };
`;

const SHIM_TYPES = `
interface PromiseConstructor {
  withResolvers<T>(): {
    promise: Promise<T>;
    resolve: (value: T | PromiseLike<T>) => void;
    reject: (reason?: unknown) => void;
  };
}
interface MapConstructor {
  groupBy<K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]>;
}
`;

/** Gives the files that are inside. */
const bundle = async (folder: string): Promise<ReadonlySet<string>> => {
  const shims = join(folder, 'shims.js');
  writeFileSync(shims, SHIMS);
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'packages/sdk/src/index.ts')],
    outdir: DIST,
    bundle: true,
    splitting: true,
    chunkNames: '[name]',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: [replacePlugin, namesOfKinds, smallLibraries],
    inject: [shims],
    define: {
      'Map.groupBy': '__perigee_groupBy',
      'Promise.withResolvers': '__perigee_withResolvers',
    },
    metafile: true,
    absWorkingDir: ROOT,
  });
  return new Set(Object.keys(metafile.inputs));
};

const PACKAGES = ['api', 'kube', 'kubernetes', 'registration', 'scheduling', 'schema'];

const emitTypes = (folder: string, inside: ReadonlySet<string>): void => {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      // Features of Node.js 20, so that nothing newer gets in; SHIMS has the rest.
      lib: ['es2023', 'esnext.disposable'],
      outDir: folder,
      rootDir: join(ROOT, 'packages'),
      typeRoots: [join(ROOT, 'node_modules/@types')],
      // As source files, and not as libraries, of which no types would be made.
      paths: Object.fromEntries(
        PACKAGES.map((name) => [`@perigee/${name}/*`, [join(ROOT, 'packages', name, 'src/*.ts')]]),
      ),
    },
    include: [],
    files: [join(ROOT, 'packages/sdk/src/index.ts'), join(folder, 'shims.d.ts')],
  };
  writeFileSync(join(folder, 'shims.d.ts'), SHIM_TYPES);
  const file = join(folder, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(config));
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', file], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  // Files that only give types may use what they like.
  const errors = stdout
    .split('\n')
    .filter((line) => inside.has(line.replace(/\(.*$/, '')) || /^error/.test(line));
  if (errors.length > 0) throw new Error(`it does not run on Node.js 20:\n${errors.join('\n')}`);
};

const IMPORT = /(from\s*|import\(\s*|import\s+)(['"])([^'"]+)\2/g;

/** The file of types that an import means; nothing for what is not ours. */
const selectedSteps = (from: string, specifier: string, folder: string): string | undefined => {
  const [, name, path] = /^@perigee\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name !== undefined) return join(folder, name, 'src', `${path}.d.ts`);
  if (!specifier.startsWith('.')) return undefined;
  return join(dirname(from), specifier).replace(/\.ts$/, '.d.ts');
};

/** Folder of the types of a package in the result: those of the SDK itself at its top. */
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
        const target = selectedSteps(file, specifier, folder);
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
  emitTypes(folder, await bundle(folder));
  collectTypes(folder);
  const { size } = statSync(join(DIST, 'index.js'));
  console.error(`packages/sdk/dist/index.js: ${(size / 1024).toFixed(0)} KiB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
