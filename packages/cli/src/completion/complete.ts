import type { Command, Option } from 'commander';
import type { Candidate, Completion } from './candidate.ts';
import { type CommandWords, optionsOf } from './command-words.ts';
import type { NameSource } from './name-source.ts';

const NOTHING: Completion = { candidates: [] };
const FILES: Completion = { candidates: [], withFiles: true };

const TAKES_FILES = /<(file|folder)/;

const list = (candidates: readonly Candidate[]): Completion => ({ candidates });
const plain = (values: readonly string[]): Completion => list(values.map((value) => ({ value })));

const kindsOf = async (source: NameSource): Promise<readonly Candidate[]> => {
  const kinds = new Map((await source.kinds()).map((kind) => [kind.plural, kind]));
  return [...kinds.values()].map(({ plural, kind, group }) => ({
    value: plural,
    description: group === '' ? kind : `${kind} of ${group}`,
  }));
};

/** Completes the name in `deployment/we`, the kind in `deploy`. */
const kindAndName = async (current: string, source: NameSource): Promise<Completion> => {
  const [kind = '', name] = current.split('/', 2);
  if (name === undefined) {
    const kinds = await kindsOf(source);
    return { candidates: kinds.map((one) => ({ ...one, value: `${one.value}/` })), goesOn: true };
  }
  const names = await source.names(kind);
  return list(names.map(({ value }) => ({ value: `${kind}/${value}` })));
};

const OPERATIONS: { readonly [kind: string]: string } = {
  dataload: 'Brings a dataset to a cluster',
  datamigrate: 'Copies data to or from a dataset',
  databackup: 'Saves a dataset',
  dataprocess: 'Runs code on a dataset',
};

/** Completes a step of a flow: the name in `dataload/wa`. */
const stepOf = async (current: string, source: NameSource): Promise<Completion> => {
  const kind = current.split('/', 1)[0] ?? '';
  if (current.includes('/')) return kindAndName(current, source);
  const kinds = Object.entries(OPERATIONS).filter(([name]) => name.startsWith(kind));
  return {
    candidates: kinds.map(([name, description]) => ({ value: `${name}/`, description })),
    goesOn: true,
  };
};

const optionValue = async (
  option: Option,
  words: CommandWords,
  source: NameSource,
): Promise<Completion> => {
  if (option.argChoices !== undefined) return plain(option.argChoices);
  if (TAKES_FILES.test(option.flags)) return FILES;
  const name = option.attributeName();
  if (name === 'context') return list(await source.contexts());
  if (name === 'namespace') return list(await source.names('namespaces'));
  if (name === 'cluster') return list(await source.names('clusters'));
  if (name === 'policy') return list(await source.names('propagationpolicies'));
  if (name === 'clusterPolicy') return list(await source.names('clusterpropagationpolicies'));
  if (name !== 'name') return NOTHING;
  const kind = words.command.name() === 'scheduler' ? 'schedulers' : 'clusters';
  return list(await source.names(words.positionals[0] ?? kind));
};

const flagsOf = (command: Command): Completion =>
  list(
    [...optionsOf(command), command.createOption('--help', 'show how to use the command')].map(
      ({ long, short, description }) => ({ value: long ?? short ?? '', description }),
    ),
  );

const commandsOf = (command: Command): Completion =>
  list(
    command
      .createHelp()
      .visibleCommands(command)
      .map((child) => ({ value: child.name(), description: child.description() })),
  );

const argument = async (words: CommandWords, source: NameSource): Promise<Completion> => {
  const { command, positionals, current } = words;
  const [first] = positionals;
  if (command.parent === null) {
    const isOpen = first === undefined || (first === 'help' && positionals.length === 1);
    return isOpen ? commandsOf(command) : NOTHING;
  }
  if (command.commands.length > 0) return first === undefined ? commandsOf(command) : NOTHING;
  const choices = command.registeredArguments[positionals.length]?.argChoices;
  if (choices !== undefined) return plain(choices);
  if (command.parent.name() === 'flow') {
    return first === undefined && command.registeredArguments.length > 0
      ? stepOf(current, source)
      : NOTHING;
  }
  switch (command.name()) {
    case 'list':
    case 'api-resources':
      return first === undefined ? list(await kindsOf(source)) : NOTHING;
    case 'get':
      if (first === undefined && !current.includes('/')) return list(await kindsOf(source));
      return first === undefined
        ? kindAndName(current, source)
        : list(await source.names(first.split('/')[0] ?? first));
    case 'close':
    case 'open':
      return first === undefined ? list(await source.names('queues')) : NOTHING;
    case 'explain':
    case 'why':
      return first === undefined ? kindAndName(current, source) : NOTHING;
    case 'trigger':
      return kindAndName(current, source);
    case 'failback':
      return list(await source.names('clusters'));
    case 'register':
      return first === undefined ? plain(['cluster']) : NOTHING;
    case 'join':
      return NOTHING;
    case 'unjoin':
      return first === undefined ? list(await source.names('clusters')) : NOTHING;
    case 'unregister':
      return list([
        ...(first === undefined ? [{ value: 'cluster' }] : []),
        ...(await source.names('clusters')),
      ]);
    default:
      return NOTHING;
  }
};

/** Completes the current word. */
export const complete = async (words: CommandWords, source: NameSource): Promise<Completion> => {
  const { command, current, pendingOption } = words;
  const completion =
    pendingOption !== undefined
      ? await optionValue(pendingOption, words, source)
      : current.startsWith('-')
        ? flagsOf(command)
        : await argument(words, source);
  const candidates = completion.candidates
    .filter(({ value }) => value.startsWith(current))
    .toSorted((a, b) => (a.value < b.value ? -1 : 1));
  return { ...completion, candidates };
};
