import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MoveError, type Side } from '../errors.ts';
import type { RclonePlace } from '../place.ts';

/** Options that rclone keeps in a form of its own. */
const OBSCURED = new Set(['pass', 'password', 'key_file_pass', 'service_principal_password']);

const secretIn = (file: string, name: string, side: Side): string => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MoveError(
      'PermissionDenied',
      `the option ${name} of the ${side} cannot be read: ${code}`,
    );
  }
};

const obscured = (program: string, text: string): string => {
  const { stdout, status } = spawnSync(program, ['obscure', '-'], {
    input: text,
    encoding: 'utf8',
  });
  if (status === 0) return stdout.trim();
  throw new MoveError('Internal', 'rclone could not take a password');
};

export interface RcloneConfig extends Disposable {
  readonly file: string;
  /** Texts that must not appear in messages. */
  readonly secrets: readonly string[];
}

/** Writes what rclone must know of a store into a file that only we may read, and that is gone afterwards. */
export const writeRcloneConfig = (
  program: string,
  { backend, options, secretOptions }: RclonePlace,
  side: Side,
): RcloneConfig => {
  const values = Object.entries(secretOptions).map(
    ([name, file]) => [name, secretIn(file, name, side)] as const,
  );
  const plain = Object.entries(options);
  const optionLines = values.map(
    ([name, text]) =>
      [name, OBSCURED.has(name) ? obscured(program, text) : text.replaceAll('\n', ' ')] as const,
  );
  const bad = [...plain, ...optionLines].find(([name, text]) => /[\r\n]/.test(`${name}${text}`));
  if (bad) throw new MoveError('InvalidOrder', `the option ${bad[0]} must be one line`);
  const lines = [...plain, ...optionLines].map(([name, text]) => `${name} = ${text}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'perigee-rclone-'));
  const file = join(folder, 'rclone.conf');
  // Last: of two lines of a name, the later one counts.
  writeFileSync(file, `[store]\n${lines.join('')}type = ${backend}\n`, { mode: 0o600 });
  return {
    file,
    secrets: values.map(([, text]) => text).filter((text) => text.length > 3),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};
