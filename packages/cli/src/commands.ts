import type { Command } from 'commander';

type Add = (program: Command) => void;

interface CommandEntry {
  readonly name: string;
  readonly load: () => Promise<Add>;
}

interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandEntry[];
}

const entry = (name: string, load: () => Promise<Add>): CommandEntry => ({ name, load });

/** All commands in the order of the help. Each is a module of its own that is loaded on demand. */
const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    heading: 'Look:',
    commands: [
      entry('status', async () => (await import('./commands/status.ts')).addStatus),
      entry('top', async () => (await import('./commands/top.ts')).addTop),
      entry('list', async () => (await import('./commands/list.ts')).addList),
      entry('get', async () => (await import('./commands/get.ts')).addGet),
      entry('data', async () => (await import('./commands/data.ts')).addData),
      entry('flow', async () => (await import('./commands/flow.ts')).addFlow),
      entry('queue', async () => (await import('./commands/queue.ts')).addQueue),
      entry('explain', async () => (await import('./commands/explain.ts')).addExplain),
      entry('history', async () => (await import('./commands/history.ts')).addHistory),
      entry('plan', async () => (await import('./commands/plan.ts')).addPlan),
      entry('lineage', async () => (await import('./commands/lineage.ts')).addLineage),
      entry('ring', async () => (await import('./commands/ring.ts')).addRing),
      entry(
        'api-resources',
        async () => (await import('./commands/api-resources.ts')).addApiResources,
      ),
    ],
  },
  {
    heading: 'Clusters:',
    commands: [
      entry('join', async () => (await import('./commands/join.ts')).addJoin),
      entry('unjoin', async () => (await import('./commands/unjoin.ts')).addUnjoin),
      entry('register', async () => (await import('./commands/register.ts')).addRegister),
      entry('unregister', async () => (await import('./commands/unregister.ts')).addUnregister),
    ],
  },
  {
    heading: 'Move:',
    commands: [
      entry('apply', async () => (await import('./commands/apply.ts')).addApply),
      entry('trigger', async () => (await import('./commands/trigger.ts')).addTrigger),
      entry('failback', async () => (await import('./commands/failback.ts')).addFailback),
    ],
  },
  {
    heading: 'Run:',
    commands: [
      entry('demo', async () => (await import('./commands/demo.ts')).addDemo),
      entry('up', async () => (await import('./commands/up.ts')).addUp),
      entry('controllers', async () => (await import('./commands/controllers.ts')).addControllers),
      entry('scheduler', async () => (await import('./commands/scheduler.ts')).addScheduler),
      entry('agent', async () => (await import('./commands/agent.ts')).addAgent),
      entry('podgroups', async () => (await import('./commands/podgroups.ts')).addPodGroups),
      entry('webhook', async () => (await import('./commands/webhook.ts')).addWebhook),
      entry('rest', async () => (await import('./commands/rest.ts')).addRest),
    ],
  },
  {
    heading: 'Keep:',
    commands: [
      entry('backup', async () => (await import('./commands/backup.ts')).addBackup),
      entry('restore', async () => (await import('./commands/restore.ts')).addRestore),
    ],
  },
  {
    heading: 'More:',
    commands: [
      entry('completion', async () => (await import('./commands/completion.ts')).addCompletion),
      entry('version', async () => (await import('./commands/version.ts')).addVersion),
    ],
  },
];

const TAKES_VALUE: ReadonlySet<string> = new Set(['--kubeconfig', '--context']);

/** The first argument that is neither a global option nor its value. */
const commandWord = (args: readonly string[]): string | undefined =>
  args.find((word, at) => !word.startsWith('-') && !TAKES_VALUE.has(args[at - 1] ?? ''));

/** Adds the command that the arguments name, or all if none is clear. */
export const addCommands = async (program: Command, args: readonly string[]): Promise<void> => {
  const word = commandWord(args);
  const all = COMMAND_GROUPS.flatMap(({ heading, commands }) =>
    commands.map((command) => ({ heading, ...command })),
  );
  const matches = all.filter(({ name }) => name === word);
  for (const { heading, load } of matches.length > 0 ? matches : all) {
    program.commandsGroup(heading);
    (await load())(program);
  }
};
