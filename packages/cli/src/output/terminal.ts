const PAINTS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Paint = keyof typeof PAINTS;

/** Where something is written, and what can be shown there. */
export interface Terminal {
  /** Characters in a line; absent where nobody looks, so that programs get whole lines. */
  readonly width?: number;
  readonly hasColours: boolean;
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

/** Whoever shows what is printed on a terminal of theirs says how wide that is. */
const widthOf = ({ isTTY, columns }: Output, { PERIGEE_COLUMNS }: NodeJS.ProcessEnv): number =>
  isTTY ? columns : Number(PERIGEE_COLUMNS ?? 0);

/** What is known of an output. Colours are for terminals only, and not for those who set NO_COLOR. */
export const terminalOf = (output: Output, env: NodeJS.ProcessEnv = process.env): Terminal => {
  const width = widthOf(output, env);
  return {
    ...(width > 0 ? { width } : {}),
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

/** Paints words that tell good from bad. */
export const paintWord = (terminal: Terminal, word: string, text: string): string => {
  const found = PAINT_OF.get(word);
  return found === undefined ? text : paint(terminal, found, text);
};
