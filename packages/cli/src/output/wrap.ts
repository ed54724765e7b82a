import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** Wraps a text at word boundaries. */
export const wrap = (paragraph: string, width: number): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
};

/** Wraps long lines for a terminal; short ones stay as they are. */
export const fitProse = (text: string, { width }: Terminal): string =>
  text
    .split('\n')
    .map(printable)
    .map((line) => (width === undefined || line.length <= width ? line : wrap(line, width)))
    .join('\n');
