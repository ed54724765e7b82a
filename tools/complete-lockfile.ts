import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Puts the optional packages of other platforms back into package-lock.json, with their checksums. npm leaves
 * out those that the registry it asked does not have, and then `npm ci` refuses the lockfile on every machine.
 * Packages without a checksum would be installed unchecked, so that nothing is written then.
 */
const file = new URL('../package-lock.json', import.meta.url);

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: { readonly [name: string]: string };
}

const SYSTEMS = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'aix',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
];

/** `@x/cli-linux-arm64-musl` is for linux on arm64; such names are how these packages are told apart. */
const platformOf = (name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> => {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = [
    ...(name.includes('musl') ? ['musl'] : []),
    ...(name.includes('gnu') ? ['glibc'] : []),
  ];
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
};

/** The checksum of a package, as the registry tells it; undefined when it does not have the package. */
const integrityOf = (name: string, version: string): string | undefined => {
  const args = ['view', `${name}@${version}`, 'dist.integrity'];
  const { stdout } = spawnSync('npm', args, { encoding: 'utf8' });
  return stdout.trim() || undefined;
};

const lockfile = JSON.parse(readFileSync(file, 'utf8'));
const packages: { [path: string]: LockedPackage } = lockfile.packages;
const unknown: string[] = [];
let additions = 0;
for (const { optionalDependencies = {}, dev } of Object.values(packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`;
    if (packages[path] !== undefined) continue;
    const version = range.replace(/^[~^]/, '');
    const integrity = integrityOf(name, version);
    if (integrity === undefined) unknown.push(`${name}@${version}`);
    packages[path] = {
      version,
      ...(integrity && { integrity }),
      ...platformOf(name),
      ...(dev ? { dev } : {}),
      optional: true,
    };
    additions += 1;
  }
}
if (unknown.length > 0) {
  console.error(`the registry has no ${unknown.join(', ')}: hold the package that needs them back`);
  process.exit(1);
}
const sortedPackages = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(
  file,
  `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sortedPackages) }, null, 2)}\n`,
);
console.log(`${additions} packages of other platforms added to package-lock.json`);
