import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The order of the folders of each package: a folder may import those of the lines above its own. */
const LAYERS: { readonly [pkg: string]: readonly (readonly string[])[] } = {
  schema: [['values'], ['formats', 'structural'], ['cel'], ['validate']],
  api: [['meta'], ['reasons'], ['kind', 'values', 'fragments'], ['kinds']],
  kube: [
    ['heap', 'yaml'],
    ['clock'],
    ['observe', 'listen'],
    ['queue', 'client'],
    ['kubeconfig', 'informer', 'events'],
    ['leader-election', 'controller'],
    ['manager'],
  ],
  apiserver: [
    ['status', 'websocket'],
    ['webhook', 'store', 'request', 'patch', 'codec'],
    ['health', 'gzip', 'apply'],
    ['resource'],
    ['table', 'discovery'],
    ['openapi', 'access'],
    ['registry', 'pki', 'flow', 'audit'],
    [
      'watch',
      'service-allocation',
      'reviews',
      'rbac',
      'metrics',
      'history',
      'conversion',
      'backup',
    ],
    ['subresources', 'start-objects', 'crd', 'cluster-controllers', 'authn'],
    ['client', 'admission'],
    ['http', 'crd-controller'],
    ['logical-clusters'],
    ['perigee'],
    ['embedded'],
  ],
};

interface FolderImport {
  readonly file: string;
  readonly imported: string;
  readonly from: string;
  readonly to: string;
}

const RELATIVE = /from\s*['"](\.{1,2}\/[^'"]+)['"]|import\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** A file beside the folders stands for itself. */
const folderOf = (path: string): string => path.split('/')[0] ?? path;

const folderImports = (src: string): readonly FolderImport[] =>
  globSync('**/*.{ts,tsx}', { cwd: src })
    .sort()
    .flatMap((file) => {
      const from = folderOf(file);
      return [...readFileSync(join(src, file), 'utf8').matchAll(RELATIVE)].flatMap((match) => {
        const imported = match[1] ?? match[2] ?? '';
        const to = folderOf(relative(src, resolve(src, dirname(file), imported)));
        return from === to || to === '..' ? [] : [{ file, imported, from, to }];
      });
    });

/** The folders on one circle of imports, the first once more at its end; undefined when there is none. */
const findCycle = (imports: readonly FolderImport[]): readonly string[] | undefined => {
  const next = Map.groupBy(imports, ({ from }) => from);
  const finishedFolders = new Set<string>();
  const visit = (folder: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder];
    if (finishedFolders.has(folder)) return undefined;
    for (const { to } of next.get(folder) ?? []) {
      const cycle = visit(to, [...path, folder]);
      if (cycle !== undefined) return cycle;
    }
    finishedFolders.add(folder);
    return undefined;
  };
  return [...next.keys()].map((folder) => visit(folder, [])).find((cycle) => cycle !== undefined);
};

const layerProblems = (pkg: string, imports: readonly FolderImport[]): readonly string[] => {
  const layers = LAYERS[pkg];
  if (layers === undefined) return [];
  const layerOf = (folder: string): number => layers.findIndex((names) => names.includes(folder));
  return imports.flatMap(({ file, imported, from, to }) => {
    const path = `packages/${pkg}/src/${file}`;
    const unplaced = [from, to].find((name) => !name.includes('.') && layerOf(name) === -1);
    if (unplaced !== undefined) {
      return [`${path}: folder ${unplaced} has no place in tools/folder-order.ts yet`];
    }
    // Files beside the folders are at the bottom, such as errors, or at the top.
    if (from.includes('.') || to.includes('.') || layerOf(to) < layerOf(from)) return [];
    return [`${path}: imports ${imported}: ${from} may not import ${to}`];
  });
};

/** Every import of one folder by another that goes against the order, and a circle of each package that has one. */
export const folderProblems = (root: string): readonly string[] =>
  globSync('packages/*/src', { cwd: root })
    .sort()
    .flatMap((src) => {
      const pkg = src.split('/')[1] ?? '';
      const imports = folderImports(join(root, src));
      const cycle = findCycle(imports);
      const problems = layerProblems(pkg, imports);
      return cycle === undefined
        ? problems
        : [...problems, `packages/${pkg}: folders import one another: ${cycle.join(' → ')}`];
    });
