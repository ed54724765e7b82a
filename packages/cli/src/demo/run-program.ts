import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Program } from './programs.ts';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly signal: AbortSignal;
}

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });

/** Runs a program, without a shell, and collects its output. */
export const runProgram = async (
  [file, ...before]: Program,
  args: readonly string[],
  { cwd, env, signal }: RunOptions,
): Promise<ProgramResult> => {
  const child = spawn(file, [...before, ...args], {
    cwd,
    signal,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exitCode = endOf(child);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exitCode,
  ]);
  return { code, stdout, stderr };
};

/** Runs a program and shows its output live: on the user's terminal, or line by line. */
export const followProgram = async (
  [file, ...before]: Program,
  args: readonly string[],
  { cwd, env, signal, notify }: RunOptions & { readonly notify?: (line: string) => void },
): Promise<number | null> => {
  const child = spawn(file, [...before, ...args], {
    cwd,
    signal,
    env: { ...process.env, ...env },
    stdio: ['ignore', notify === undefined ? 'inherit' : 'pipe', 'inherit'],
  });
  const exitCode = endOf(child);
  if (notify !== undefined && child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) notify(line);
  }
  return exitCode;
};
