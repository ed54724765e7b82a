import { type Command, InvalidArgumentError } from 'commander';
import type { FlowOptions } from '../flows/run-flow-list.ts';
import type { FlowLogsOptions } from '../flows/run-flow-logs.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';

const NAMESPACE = [
  '-n, --namespace <name>',
  'the namespace to look in (default: that of the context)',
] as const;

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('write a whole number, such as 100');
  return Number(text);
};

const addList = (flow: Command): void => {
  const command = flow
    .command('list')
    .description('List flows, and how they are doing')
    .option(...NAMESPACE)
    .option('-A, --all-namespaces', 'look in all namespaces')
    .addOption(outputOption('wide'))
    .option('-w, --watch', 'go on, and show it again when something changes')
    .action(async (options: FlowOptions, self: Command) => {
      const { runFlowList } = await import('../flows/run-flow-list.ts');
      await runFlowList(options, self);
    });
  addHelp(command, {
    text: ['NOW names the step that failed, runs or waits; -o wide says why.'],
    examples: [
      ['perigee flow list', 'the flows of the namespace'],
      ['perigee flow list -A -o wide', 'all flows, and why they wait'],
    ],
  });
};

const addShow = (flow: Command): void => {
  const command = flow
    .command('show')
    .description('Draw the steps of a flow: their states, where they run, and why they wait')
    .argument('<flow>', 'the name of the flow, or one of its steps, such as dataload/warm')
    .option(...NAMESPACE)
    .addOption(outputOption('wide'))
    .option('-w, --watch', 'go on until the flow is over; ends with code 1 if it failed')
    .action(async (target: string, options: FlowOptions, self: Command) => {
      const { runFlowShow } = await import('../flows/run-flow-show.ts');
      await runFlowShow(target, options, self);
    });
  addHelp(command, {
    text: [
      'On a terminal it is a tree with bars; elsewhere one line for each step, and with -w one for each change. A step that runs after several is drawn below the last of them, and names the others.',
    ],
    examples: [
      ['perigee flow show train', 'the flow, once'],
      ['perigee flow show train -w', 'live, until it is over'],
      ['perigee flow show dataprocess/prepare -o json', 'the flow of a step, for programs'],
    ],
  });
};

const addCancel = (flow: Command): void => {
  const command = flow
    .command('cancel')
    .description('End all steps of a flow that have not ended, or one step')
    .argument('<flow>', 'the name of the flow; or a step, such as dataload/warm')
    .option(...NAMESPACE)
    .action(async (target: string, options: FlowOptions, self: Command) => {
      const { runFlowCancel } = await import('../flows/run-flow-change.ts');
      await runFlowCancel(target, options, self);
    });
  addHelp(command, {
    text: ['What runs is stopped. A cancelled step stays cancelled: create a new one instead.'],
    examples: [
      ['perigee flow cancel train', 'the whole flow'],
      ['perigee flow cancel dataprocess/prepare', 'one step'],
    ],
  });
};

const addRetry = (flow: Command): void => {
  const command = flow
    .command('retry')
    .description('Try a failed flow again, from where it stopped')
    .argument('<flow>', 'the name of the flow; or a step, such as dataload/warm')
    .option(...NAMESPACE)
    .action(async (target: string, options: FlowOptions, self: Command) => {
      const { runFlowRetry } = await import('../flows/run-flow-change.ts');
      await runFlowRetry(target, options, self);
    });
  addHelp(command, {
    text: ['Steps that are complete are not run again; those that wait for failed ones follow.'],
    examples: [['perigee flow retry train', 'all failed steps']],
  });
};

const addLogs = (flow: Command): void => {
  const command = flow
    .command('logs')
    .description('Print what a step has printed, wherever it ran')
    .argument('<step>', 'the step, such as dataprocess/prepare')
    .option(...NAMESPACE)
    .option('--cluster <name>', 'only what it printed in this cluster')
    .option('-c, --container <name>', 'only this container')
    .option('-f, --follow', 'go on while it runs')
    .option('--tail <lines>', 'only so many of the last lines', wholeNumber)
    .action(async (target: string, options: FlowLogsOptions, self: Command) => {
      const { runFlowLogs } = await import('../flows/run-flow-logs.ts');
      await runFlowLogs(target, options, self);
    });
  addHelp(command, {
    text: [
      'It is read from the pods in the member. That is reached by the context of its name in the kubeconfig; else through the control plane, where that has a proxy to its members, as that of Karmada; else with the credentials in its Secret, by those who may read that.',
    ],
    examples: [
      ['perigee flow logs dataprocess/prepare', 'all that it printed'],
      ['perigee flow logs dataprocess/train -f --tail 20', 'what it prints now'],
    ],
  });
};

export const addFlow = (program: Command): void => {
  const flow = program.command('flow').description('Follow and steer flows of data operations');
  for (const add of [addList, addShow, addCancel, addRetry, addLogs]) add(flow);
  addHelp(flow, {
    text: [
      'A flow is what data operations make that run after one another (runAfter, runAfterAll). It is named by the label fluid.io/dataflow, or else by its first step.',
    ],
    examples: [
      ['perigee flow list', 'the flows, and how they are doing'],
      ['perigee flow show train -w', 'one flow, live'],
      ['perigee flow logs dataprocess/prepare', 'what a step printed'],
    ],
  });
};
