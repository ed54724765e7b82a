import { EXIT_MEANINGS } from '../packages/cli/src/exit-codes.ts';
import { helpOf } from '../packages/cli/src/output/command-help.ts';
import { createProgram } from '../packages/cli/src/program.ts';

type Command = Awaited<ReturnType<typeof createProgram>>;
type Option = Command['options'][number];
type Argument = Command['registeredArguments'][number];

const HEAD = `<!-- Generated from packages/cli by \`npm run reference\`. Do not edit. -->

# Every command

What \`perigee --help\` says, on one page. [The command line](../cli.md) tells how it is meant.
`;

/** Escapes the end of a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

const table = (header: readonly [string, string], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : `\n${[header, ['---', '---'], ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')}\n`;

const describeOption = (option: Option): string => {
  const { description, argChoices, defaultValue, mandatory } = option;
  const more = [
    ...(mandatory ? ['needed'] : []),
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]),
    ...(defaultValue === undefined || typeof defaultValue === 'boolean'
      ? []
      : [`default: ${defaultValue}`]),
  ];
  return more.length === 0 ? description : `${description} (${more.join('; ')})`;
};

const optionsOf = ({ options }: Command): string =>
  table(
    ['option', ''],
    options
      .filter(({ hidden }) => !hidden)
      .map((option) => [`\`${option.flags}\``, describeOption(option)]),
  );

const argumentsOf = (command: Command): string => {
  const describe = ({ description, argChoices }: Argument): string =>
    argChoices === undefined ? description : `${description} (one of ${argChoices.join(', ')})`;
  return table(
    ['argument', ''],
    command.registeredArguments.map((one) => [
      `\`${command.createHelp().argumentTerm(one)}\``,
      describe(one),
    ]),
  );
};

const help = (command: Command): string => {
  const { text = [], examples = [] } = helpOf(command) ?? {};
  const exampleLines = examples.map(([line, purpose]) => `# ${purpose}\n${line}\n`);
  const block = `\n\`\`\`text\n${exampleLines.join('\n')}\`\`\`\n`;
  return `${text.map((paragraph) => `\n${paragraph}\n`).join('')}${exampleLines.length === 0 ? '' : block}`;
};

const section = (command: Command): string => {
  const usage = `\`${command.parent?.name()} ${command.name()} ${command.usage()}\``;
  return `\n### ${command.name()}\n\n${command.description()}.\n\n${usage}\n${argumentsOf(command)}${optionsOf(command)}${help(command)}`;
};

/** The page about all commands, from the tree that the program itself is made of. */
export const commandReference = async (): Promise<string> => {
  const program = await createProgram();
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup());
  const parts = [...groups].map(
    ([heading, commands]) => `\n## ${heading.replace(':', '')}\n${commands.map(section).join('')}`,
  );
  const codes = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, meaning]);
  return `${HEAD}\n## Options of all commands\n${optionsOf(program)}${parts.join('')}\n## Exit codes\n${table(['code', ''], codes)}`;
};
