import type { Command } from 'commander';
import { wrap } from './wrap.ts';

/** An example command line and its purpose. */
export type Example = readonly [line: string, purpose: string];

/** Additional help for a command. */
export interface CommandHelp {
  readonly examples: readonly Example[];
  /** Paragraphs before the examples. */
  readonly text?: readonly string[];
  /** The command contacts no server, so the help omits the options that select one. */
  readonly withoutServer?: boolean;
}

const helpTexts = new WeakMap<Command, CommandHelp>();

const WIDEST = 100;
const USUAL = 80;

const format = ({ text = [], examples }: CommandHelp): string => {
  const width = Math.min(process.stdout.columns ?? USUAL, WIDEST);
  const paragraphs = text.map((paragraph) => `\n${wrap(paragraph, width)}\n`);
  const exampleTexts = examples.map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
  return `${paragraphs.join('')}\nExamples:\n${exampleTexts.join('\n\n')}`;
};

/** Attaches text and examples to a command, for its help and the reference pages. */
export const addHelp = (command: Command, help: CommandHelp): Command => {
  helpTexts.set(command, help);
  if (help.withoutServer) {
    command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false });
  }
  return command.addHelpText('after', () => format(help));
};

export const helpOf = (command: Command): CommandHelp | undefined => helpTexts.get(command);
