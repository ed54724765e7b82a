import { present } from '@perigee/schema/present';

const PAINTS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Paint = keyof typeof PAINTS;

/** Capabilities of an output. */
export interface Terminal {
  /** Characters per line; absent if it is no terminal, so that programs get whole lines. */
  readonly width?: number;
  readonly hasColours: boolean;
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

/**
 * The terminal's width. A program that shows our output on a terminal of its own passes the width in
 * PERIGEE_COLUMNS.
 */
const widthOf = ({ isTTY, columns }: Output, { PERIGEE_COLUMNS }: NodeJS.ProcessEnv): number =>
  isTTY ? columns : Number(PERIGEE_COLUMNS ?? 0);

/** Detects the capabilities of an output. Only terminals get colours, and not with NO_COLOR. */
export const terminalOf = (output: Output, env: NodeJS.ProcessEnv = process.env): Terminal => {
  const width = widthOf(output, env);
  return {
    ...present({ width: width > 0 ? width : undefined }),
    hasColours: output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
  };
};

export const paint = ({ hasColours }: Terminal, with_: Paint, text: string): string =>
  hasColours ? `\u001b[${PAINTS[with_]}m${text}\u001b[0m` : text;

const WORDS: { readonly [paint in Paint]?: readonly string[] } = {
  green: [
    'Ready',
    'Active',
    'Running',
    'Bound',
    'Available',
    'Succeeded',
    'Complete',
    'chosen',
    'registered',
  ],
  yellow: ['Pending', 'Executing', 'Unknown', 'Draining', 'Waiting', 'Terminating', 'leaving'],
  red: ['NotReady', 'Unreachable', 'Unavailable', 'Failed', 'Error', 'Lost', 'refused'],
};

const PAINT_OF: ReadonlyMap<string, Paint> = new Map(
  Object.entries(WORDS).flatMap(([name, words]) => words.map((word) => [word, name as Paint])),
);

/** Colours words for good and bad states. */
export const paintWord = (terminal: Terminal, word: string, text: string): string => {
  const colour = PAINT_OF.get(word);
  return colour === undefined ? text : paint(terminal, colour, text);
};
