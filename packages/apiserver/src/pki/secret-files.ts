import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '@perigee/kube/errors';

/** Small files that belong to their owner alone. */
export interface SecretFiles {
  /** Those that there are; nothing else that may lie beside them. */
  names(): readonly string[];
  /** The file's name in messages. */
  where(name: string): string;
  /** Undefined if there is no such file. Refuses a file that others can read. */
  readSecret(name: string): string | undefined;
  /** The same for files that others may read, and only the owner may change. */
  readPublic(name: string): string | undefined;
  /** Replaces a file as a whole: after a crash it is the old one or the new one. */
  write(name: string, text: string): void;
  /** It does not matter whether there is such a file. */
  remove(name: string): void;
}

/** Mode bits that are forbidden to all but the owner. */
const GUARDED = { secret: 0o077, public: 0o022 };

const isKeyFile = (name: string): boolean => /\.(crt|key)$/.test(name);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? ` (${error.code})` : '';

const refuseOpen = (path: string, guarded: number): void => {
  const { mode } = statSync(path);
  if ((mode & guarded) === 0) return;
  const modeText = (mode & 0o777).toString(8).padStart(4, '0');
  throw new ConfigError(`${path} is open to others (mode ${modeText}): run chmod 600 ${path}`);
};

const readGuarded = (path: string, guarded: number): string | undefined => {
  try {
    refuseOpen(path, guarded);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${path} cannot be read${codeOf(cause)}: check its owner and its mode`, {
      cause,
    });
  }
};

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Writes a file that only its owner can read, atomically. */
export const writeSecretFile = (path: string, text: string): void => {
  const folder = dirname(path);
  const draft = `${path}.new`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    // A draft that a crash left behind keeps the mode that it has.
    chmodSync(draft, 0o600);
    renameSync(draft, path);
    sync(folder);
  } catch (cause) {
    throw new ConfigError(`${path} cannot be written${codeOf(cause)}: check its folder`, { cause });
  }
};

/** A folder that only its owner can read. */
export const openSecretFolder = (folder: string): SecretFiles => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw new ConfigError(
      `${folder} cannot be used for keys${codeOf(cause)}: check its owner and its mode`,
      { cause },
    );
  }
  return {
    names: () => readdirSync(folder).filter(isKeyFile).sort(),
    where: (name) => join(folder, name),
    readSecret: (name) => readGuarded(join(folder, name), GUARDED.secret),
    readPublic: (name) => readGuarded(join(folder, name), GUARDED.public),
    write: (name, text) => writeSecretFile(join(folder, name), text),
    remove: (name) => rmSync(join(folder, name), { force: true }),
  };
};

/** Secrets that end with the process. */
export const secretsInMemory = (): SecretFiles => {
  const files = new Map<string, string>();
  return {
    names: () => [...files.keys()].sort(),
    where: (name) => name,
    readSecret: (name) => files.get(name),
    readPublic: (name) => files.get(name),
    write: (name, text) => void files.set(name, text),
    remove: (name) => void files.delete(name),
  };
};
