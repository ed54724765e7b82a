import { fileURLToPath } from 'node:url';
import { onPath } from '../on-path.ts';

/** A program and its leading arguments. */
export type Program = readonly [file: string, ...before: string[]];

/** The programs that the demo calls; optional ones may be missing on this machine. */
export interface Programs {
  readonly perigee: Program;
  readonly kubectl?: Program;
  readonly curl?: Program;
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

const optional = (
  name: 'kubectl' | 'curl',
): { readonly [name in 'kubectl' | 'curl']?: Program } => {
  const path = onPath(name);
  return path === undefined ? {} : { [name]: [path] };
};

export const findPrograms = (): Programs => ({
  perigee: [process.execPath, '--disable-warning=ExperimentalWarning', MAIN],
  ...optional('kubectl'),
  ...optional('curl'),
});
