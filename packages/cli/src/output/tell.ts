import { terminalOf } from './terminal.ts';
import { fitProse } from './wrap.ts';

/** Says something to whoever looks on, beside the results. */
export const tell = (text: string): void => {
  process.stderr.write(`${fitProse(`perigee: ${text}`, terminalOf(process.stderr))}\n`);
};
