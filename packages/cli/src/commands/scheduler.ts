import type { Command } from 'commander';
import type { RunSchedulerOptions } from '../clusters/scheduler/run-scheduler.ts';
import { addHelp } from '../output/command-help.ts';

export const addScheduler = (program: Command): void => {
  const command = program
    .command('scheduler')
    .description('Run one scheduler, for a Scheduler object')
    .requiredOption('--name <name>', 'the name of the Scheduler object')
    .option('--until-input-ends', 'end also when the standard input ends, for whoever starts it')
    .action(async (_options: object, self: Command) => {
      const { runScheduler } = await import('../clusters/scheduler/run-scheduler.ts');
      await runScheduler(self.optsWithGlobals<RunSchedulerOptions>());
    });
  addHelp(command, {
    text: [
      'It decides about the bindings that are given to the Scheduler object of that name, while it holds the lease kube-system/perigee-scheduler-<name>. Several may run for one object: one of them works at a time.',
      'Stop it with Ctrl-C: it ends what it has begun and gives its lease away.',
    ],
    examples: [['perigee scheduler --name scheduler1', 'serve the Scheduler object scheduler1']],
  });
};
