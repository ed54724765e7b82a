import { spawn } from 'node:child_process';
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

/** Runs a program to its end. No shell is involved. */
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
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
};
