import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import type { QueueWhyOptions } from '../queues/run-queue-why.ts';
import type { QueuesOptions } from '../queues/run-queues.ts';

const addState = (parent: Command, word: 'close' | 'open', description: string): void => {
  const command = parent
    .command(word)
    .description(description)
    .argument('<queue>', 'the name of the queue')
    .action(async (name: string, _: unknown, self: Command) => {
      const { runQueueState } = await import('../queues/run-queue-state.ts');
      await runQueueState(name, word === 'close' ? 'Closed' : 'Open', self);
    });
  addHelp(command, {
    text: [
      'A closed queue, and what is below it, lets nothing new through. What it has runs on: it is Closing until that has ended, and then Closed.',
    ],
    examples: [[`perigee queue ${word} research`, description]],
  });
};

export const addQueue = (program: Command): void => {
  const command = program
    .command('queue')
    .description('Show the queues, what each uses, and what waits in them')
    .addOption(outputOption('wide'))
    .option('-w, --watch', 'go on, and show it again when something changes')
    .action(async (options: QueuesOptions, self: Command) => {
      const { runQueues } = await import('../queues/run-queues.ts');
      await runQueues(options, self);
    });
  const why = command
    .command('why')
    .description('Say why work waits in its queue, and what is its place in the line')
    .argument('<work>', 'the name of the work, such as train, or job/train')
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .addOption(outputOption())
    .action(async (target: string, _: QueueWhyOptions, self: Command) => {
      const { runQueueWhy } = await import('../queues/run-queue-why.ts');
      await runQueueWhy(target, self.optsWithGlobals(), self);
    });
  addState(command, 'close', 'let nothing new through');
  addState(command, 'open', 'let work through again');
  addHelp(command, {
    text: [
      'Work that names a queue is held until the queue lets it through: see docs/queues.md. SHARE is the largest part that the queue has of any resource of all clusters, BORROWED what it uses beyond what it deserves, OLDEST how long the work waits that waits longest. Numbers of a queue include those of its parts.',
    ],
    examples: [
      ['perigee queue', 'the tree of queues'],
      ['perigee queue -w', 'the same, again and again'],
      ['perigee queue -o wide', 'with what is deserved, and the limits'],
      ['perigee queue why job/train', 'why a Job waits, and its place in the line'],
    ],
  });
  addHelp(why, {
    text: [
      'It reads all queues and all work through the API, and decides once more with the very functions that the dispatcher uses. Nothing is changed. Who may not read all of that is told what the binding of the work says.',
    ],
    examples: [
      ['perigee queue why train', 'the work of this name'],
      ['perigee queue why job/train -n shop -o json', 'for programs'],
    ],
  });
};
