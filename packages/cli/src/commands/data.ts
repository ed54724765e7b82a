import { type Command, Option } from 'commander';
import type { DataOptions } from '../data/run-data.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import { addVerify } from './backup.ts';

export const addData = (program: Command): void => {
  const command = program
    .command('data')
    .description('Show which data is where, who claims it, and who waits for data')
    .option('-n, --namespace <name>', 'only the claims of this namespace (default: all)')
    .addOption(outputOption('wide'))
    .option('-w, --watch', 'go on, and show it again when something changes')
    .action(async (options: DataOptions, self: Command) => {
      const { runData } = await import('../data/run-data.ts');
      await runData(options, self);
    });
  const whereis = command
    .command('whereis')
    .description('Show where data is')
    .argument('<data>', 'the name of the data, such as db.sales, or of its DataSource')
    .option('-n, --namespace <name>', 'only the claims of this namespace (default: all)')
    .addOption(outputOption('wide'))
    .action(async (name: string, _: unknown, self: Command) => {
      const { runWhereis } = await import('../data/run-whereis.ts');
      await runWhereis(name, self.optsWithGlobals(), self);
    });
  const plan = command
    .command('plan')
    .description('Compare what can be done for work that needs data: run, copy or wait')
    .argument('<claim>', 'the name of a DataSourceClaim')
    .option('-n, --namespace <name>', 'the namespace of the claim (default: of the context)')
    .addOption(
      new Option('--by <what>', 'what counts first').choices(['time', 'money']).default('time'),
    )
    .option('--apply', 'start what is best')
    .addOption(outputOption('wide'))
    .action(async (name: string, _: unknown, self: Command) => {
      const { runDataPlan } = await import('../data/plan/run-data-plan.ts');
      await runDataPlan(name, self.optsWithGlobals(), self);
    });
  const provisioners = command
    .command('provisioners')
    .description('Show who is asked for data that nobody registered, and how they fare')
    .addOption(outputOption('wide'))
    .action(async (_: unknown, self: Command) => {
      const { runProvisioners } = await import('../data/run-provisioners.ts');
      await runProvisioners(self.optsWithGlobals(), self);
    });
  const backup = command
    .command('backup')
    .description('Work with backups of datasets, which DataBackups make');
  addVerify(backup);
  addHelp(backup, {
    text: [
      'A DataBackup makes a backup; dataRestoreLocation of a Dataset names one to start from.',
    ],
    examples: [['perigee data backup verify /srv/backups/shop/sales', 'check that it is intact']],
  });
  addHelp(command, {
    text: [
      'A DataSource says which data is in which clusters. A DataSourceClaim says which data work needs; the work then runs only there. The claims that wait say for what, and what the provisioner of the system answered.',
    ],
    examples: [
      ['perigee data', 'all data, all claims'],
      ['perigee data -n shop -o wide', 'the claims of one namespace, with whole messages'],
      ['perigee data whereis db.sales', 'the clusters that have it, and who uses it'],
      ['perigee data whereis db.sales -o json', 'the same for programs'],
      ['perigee data provisioners', 'who is asked for further data, and how they fare'],
    ],
  });
  addHelp(provisioners, {
    text: [
      'Answering: its last answers can be used. Failing: it gives none in time, or none that can be used. Misconfigured: the operator has to correct its entry. NotAskedYet: no claim needed it. /metrics of the controllers has the numbers (perigee_provisioner_requests_total, perigee_provisioner_up).',
    ],
    examples: [['perigee data provisioners', 'all that are configured']],
  });
  addHelp(plan, {
    text: [
      'Time comes from the size of the data and from how fast copies were, or may be; money from the prices in the inventory (spec.dataTransfer of clusters). Waiting takes at least as long again as it has. Nothing is moved without --apply.',
      'It ends with code 3 when there is no such claim, or nothing that could be done.',
    ],
    examples: [
      ['perigee data plan raw', 'run, copy or wait, with their numbers, and the flow that does it'],
      ['perigee data plan raw --by money --apply', 'start what is cheapest'],
      ['perigee data plan raw -o json', 'the same for programs'],
    ],
  });
  addHelp(whereis, {
    text: ['It ends with code 3 when nobody says where the data is.'],
    examples: [['perigee data whereis db.sales', 'the clusters that have it, and who uses it']],
  });
};
