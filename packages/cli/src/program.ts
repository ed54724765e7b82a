import { Command } from 'commander';
import { addCommands } from './commands.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { addHelp } from './output/command-help.ts';
import { paint, terminalOf } from './output/terminal.ts';
import { fitProse } from './output/wrap.ts';

const DESCRIPTION =
  'Perigee decides which of your Kubernetes clusters run which work, knowing where the data lives.';

const CODES = Object.entries(EXIT_MEANINGS)
  .map(([code, meaning]) => `  ${code}  ${meaning}\n`)
  .join('');

/** Replaces `perigee` by the name under which kubectl calls the plugin. */
const asCalled = (text: string): string => {
  const { PERIGEE_CALLED_AS: name = '' } = process.env;
  return name === '' ? text : text.replaceAll(/(^|[\s"(])perigee (?=[a-z[-])/gm, `$1${name} `);
};

const addHelpHint = (command: Command, path: string): void => {
  command.showHelpAfterError(`Run "${path} --help" to see what can be said.`);
  for (const child of command.commands) addHelpHint(child, `${path} ${child.name()}`);
};

/**
 * Builds the command tree. Given the arguments, it may contain only the command that they name, so that no other is
 * loaded.
 */
export const createProgram = async (args: readonly string[] = []): Promise<Command> => {
  const program = new Command('perigee')
    .description(DESCRIPTION)
    .option('--kubeconfig <file>', 'the kubeconfig file to use')
    .option('--context <name>', 'the context in the kubeconfig to use')
    .helpOption('-h, --help', 'show how to use the command')
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .helpOption(false)
        .description('Show how to use a command')
        .helpGroup('More:'),
    )
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => paint(terminalOf(process.stdout), 'bold', title),
    })
    .configureOutput({
      writeOut: (text) => void process.stdout.write(asCalled(text)),
      writeErr: (text) => void process.stderr.write(asCalled(text)),
      outputError: (text, write) =>
        write(fitProse(text.replace(/^error: /, 'perigee: '), terminalOf(process.stderr))),
    })
    .exitOverride();
  addHelp(program, {
    examples: [
      ['perigee demo', 'see what Perigee does, in a minute'],
      ['perigee up', 'a control plane with member clusters, on this machine'],
      ['perigee status', 'how clusters, schedulers and work are doing'],
      ['perigee register -f cluster1.yaml', 'make a cluster known'],
      ['perigee list clusters', 'the clusters that are known'],
      ['perigee explain deployment/web', 'why its replicas are where they are'],
    ],
  }).addHelpText(
    'after',
    `
Exit codes:
${CODES}
Perigee finds its server as kubectl does: by --kubeconfig, $KUBECONFIG, or
~/.kube/config, or else it is the server of the pod that it runs in.`,
  );
  await addCommands(program, args);
  addHelpHint(program, 'perigee');
  return program;
};
