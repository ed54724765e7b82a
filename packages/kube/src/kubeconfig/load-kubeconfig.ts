import { readFile, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import type { Logger } from '../observe/logger.ts';
import type { Kubeconfig, KubeconfigUser } from './kubeconfig.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';

const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> => {
  const entriesByName = new Map<string, T>();
  for (const [name, entry] of maps.flatMap((map) => [...map])) {
    if (!entriesByName.has(name)) entriesByName.set(name, entry);
  }
  return entriesByName;
};

/** Merges as kubectl does: an entry belongs wholly to the first file that has one of its name. */
const mergeKubeconfigs = (configs: readonly Kubeconfig[]): Kubeconfig => ({
  files: configs.flatMap(({ files }) => files),
  currentContext: configs.find(({ currentContext }) => currentContext)?.currentContext,
  contexts: firstWins(configs.map(({ contexts }) => contexts)),
  clusters: firstWins(configs.map(({ clusters }) => clusters)),
  users: firstWins(configs.map(({ users }) => users)),
});

export interface LoadOptions {
  /** The environment variables of the process. */
  readonly env: { readonly [name: string]: string | undefined };
  /** A file that must be there, as `--kubeconfig` names it. */
  readonly kubeconfig?: string;
  readonly logger?: Pick<Logger, 'warn'>;
}

const OTHERS_MAY_READ = 0o044;

const holdsSecrets = ({ token, password, clientKey }: KubeconfigUser): boolean =>
  token !== undefined ||
  password !== undefined ||
  (clientKey !== undefined && 'base64' in clientKey);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

const warnIfExposed = async (config: Kubeconfig, file: string, logger: LoadOptions['logger']) => {
  if (!logger || ![...config.users.values()].some(holdsSecrets)) return;
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0) {
    logger.warn(
      `the kubeconfig ${file} holds secrets and others can read it: run chmod 600 ${file}`,
    );
  }
};

/** The file's content; undefined when there is no such file. */
const readIfPresent = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(
      `the kubeconfig ${file} cannot be read (${codeOf(error)}): check its type and permissions`,
    );
  }
};

const loadFile = async (file: string, { logger }: LoadOptions): Promise<Kubeconfig | undefined> => {
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  const config = await parseKubeconfig(text, { file });
  await warnIfExposed(config, file, logger);
  return config;
};

/** The files that kubectl would read. */
const candidates = (env: LoadOptions['env']): readonly string[] => {
  const listedPaths = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  if (listedPaths.length > 0) return [...new Set(listedPaths.map((path) => resolve(path)))];
  const home = env.HOME ?? env.USERPROFILE;
  return home === undefined ? [] : [join(home, '.kube', 'config')];
};

/**
 * Reads the kubeconfig that the user means: the file named, or else those of `$KUBECONFIG` together,
 * or else `~/.kube/config`. Undefined when there is none and none was named.
 */
export const loadKubeconfig = async (options: LoadOptions): Promise<Kubeconfig | undefined> => {
  const { kubeconfig, env } = options;
  if (kubeconfig !== undefined) {
    const file = resolve(kubeconfig);
    const config = await loadFile(file, options);
    if (config === undefined) {
      throw new ConfigError(`the kubeconfig ${file} does not exist: check the path`);
    }
    return config;
  }
  const files = candidates(env);
  const configs = await Promise.all(files.map((file) => loadFile(file, options)));
  const present = configs.filter((config) => config !== undefined);
  if (present.length > 0) return mergeKubeconfigs(present);
  if (env.KUBECONFIG) {
    throw new ConfigError(
      `KUBECONFIG names ${files.join(', ')}, but no such file exists: correct it`,
    );
  }
  return undefined;
};
