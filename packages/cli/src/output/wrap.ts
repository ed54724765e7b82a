import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** Breaks a text into lines of at most so many characters, between words. */
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

/** Prose for a terminal: lines that are too long are broken between words, others stay as they are. */
export const fitProse = (text: string, { width }: Terminal): string =>
  text
    .split('\n')
    .map(printable)
    .map((line) => (width === undefined || line.length <= width ? line : wrap(line, width)))
    .join('\n');
