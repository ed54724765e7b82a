import type { Command } from 'commander';
import type { RunSchedulerOptions } from '../scheduler/run-scheduler.ts';

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
    .option('--until-input-ends', 'end also when the standard input ends, for whoever starts it')
    .addHelpText('after', AFTER)
    .action(async (_options: object, command: Command) => {
      const { runScheduler } = await import('../scheduler/run-scheduler.ts');
      await runScheduler(command.optsWithGlobals<RunSchedulerOptions>());
    });
};
