import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openPageFolder, type PageFolder } from './page-folder.ts';
import type { PageScript } from './page-script.ts';

export interface PageResult {
  readonly code: number | null;
  readonly output: string;
}

/** Ends what the page left running, and waits for it: its children and files must not outlive it. */
const END = `
while read -r pid; do kill "$pid" 2>/dev/null || true; done <running.pids
while read -r pid; do while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done; done <running.pids
`;

const bash = async (
  script: string,
  { path: cwd, env }: PageFolder,
  signal?: AbortSignal,
): Promise<PageResult> => {
  const child = spawn('bash', [script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  // The shell alone: its commands end with their output.
  signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  const exitCode = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode]);
  return { code, output: `${out}${err}` };
};

/** Does what a page says, in a folder of its own. */
export const runPage = async (
  page: PageScript,
  root: string,
  signal: AbortSignal,
): Promise<PageResult> => {
  using folder = openPageFolder(root, { ...page.files, 'page.sh': page.script });
  const result = await bash('page.sh', folder, signal);
  const pids = join(folder.path, 'running.pids');
  if (existsSync(pids) && readFileSync(pids, 'utf8') !== '') {
    writeFileSync(join(folder.path, 'end.sh'), END);
    await bash('end.sh', folder);
  }
  return result;
};
