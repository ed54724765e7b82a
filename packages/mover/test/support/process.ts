import { type ChildProcess, spawn } from 'node:child_process';

const MAIN = new URL('../../src/main.js', import.meta.url).pathname;

export interface Line {
  readonly type: 'progress' | 'result' | 'failure';
  readonly [field: string]: unknown;
}

/** The mover as a process of its own. */
export interface Mover {
  readonly child: ChildProcess;
  readonly lines: readonly Line[];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface MoverProcess {
  readonly file?: string;
  readonly onLine?: (line: Line) => void;
  readonly nodeArgs?: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

/** Starts the mover. The order goes to its standard input, unless a file is given. */
export const startMover = (
  order: string,
  { file = '-', onLine = () => {}, nodeArgs = [], env = {} }: MoverProcess = {},
): Mover => {
  const child = spawn(process.execPath, [...nodeArgs, MAIN, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines: Line[] = [];
  let rest = '';
  child.stdout.on('data', (data) => {
    const pieces = `${rest}${data}`.split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      const line = JSON.parse(piece);
      lines.push(line);
      onLine(line);
    }
  });
  child.stdin.on('error', () => {});
  child.stdin.end(order);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return { child, lines, ended };
};
