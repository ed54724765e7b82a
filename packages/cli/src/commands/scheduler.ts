import type { Command } from 'commander';

const AFTER = `
It decides about the bindings that are given to the Scheduler object of that name, while it holds the lease
kube-system/perigee-scheduler-<name>. Several may run for one object: one of them works at a time.

Example:
  perigee scheduler --name scheduler1

Stop it with Ctrl-C: it ends what it has begun and gives its lease away.`;

export const addScheduler = (program: Command): void => {
  program
    .command('scheduler')
    .description('Run one scheduler, for a Scheduler object')
    .requiredOption('--name <name>', 'the name of the Scheduler object')
    .addHelpText('after', AFTER)
    .action(async ({ name }: { readonly name: string }, command: Command) => {
      const { runScheduler } = await import('../scheduler/run-scheduler.ts');
      await runScheduler(name, command);
    });
};
