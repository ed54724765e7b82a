import { terminalOf } from './terminal.ts';
import { fitProse } from './wrap.ts';

/** Prints a message to standard error, apart from the results. */
export const notify = (text: string): void => {
  process.stderr.write(`${fitProse(`perigee: ${text}`, terminalOf(process.stderr))}\n`);
};
