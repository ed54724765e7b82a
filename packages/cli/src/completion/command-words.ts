import { present } from '@perigee/schema/present';
import type { Command, Option } from 'commander';

/** A command line up to the word that is being typed. */
export interface CommandWords {
  readonly command: Command;
  /** The arguments of the command, without its options. */
  readonly positionals: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value the current word is. */
  readonly pendingOption?: Option;
  /** The current word; empty before its first character. */
  readonly current: string;
}

const lineage = (command: Command): readonly Command[] =>
  command.parent ? [command, ...lineage(command.parent)] : [command];

/** The options of a command and those that all commands have. */
export const optionsOf = (command: Command): readonly Option[] =>
  lineage(command)
    .flatMap(({ options }) => options)
    .filter(({ hidden }) => !hidden);

const takesValue = (option: Option): boolean => option.required || option.optional;

/** Parses a command line as far as completing its last word needs. */
export const readWords = (program: Command, words: readonly string[]): CommandWords => {
  const current = words.at(-1) ?? '';
  const positionals: string[] = [];
  const values = new Map<string, string>();
  let command = program;
  let pendingOption: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (pendingOption !== undefined) {
      values.set(pendingOption.attributeName(), word);
      pendingOption = undefined;
    } else if (word.startsWith('-')) {
      const [flag = '', value] = word.split(/=(.*)/s);
      const option = optionsOf(command).find(({ short, long }) => flag === short || flag === long);
      if (option === undefined || !takesValue(option)) continue;
      if (value === undefined) pendingOption = option;
      else values.set(option.attributeName(), value);
    } else {
      const child: Command | undefined =
        positionals.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (child === undefined) positionals.push(word);
      else command = child;
    }
  }
  return {
    command,
    positionals,
    values,
    current,
    ...present({ pendingOption }),
  };
};
