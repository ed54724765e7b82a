import { type Command, InvalidArgumentError } from 'commander';
import { outputOption } from '../../output/structured-output.ts';
import { timeoutOption } from '../../wait/duration-option.ts';
import type { RunOptions } from './run-trigger.ts';
import type { TargetOptions } from './trigger-spec.ts';

export type MoveOptions = TargetOptions & RunOptions;

const readCount = (text: string): number => {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('it must be a number, 1 or more.');
};

/** Adds the options shared by commands that move work. */
export const addTargetOptions = (command: Command): Command =>
  command
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .option('-A, --all-namespaces', 'everything that is propagated')
    .option('-l, --selector <labels>', 'only what has these labels, such as tier=gold')
    .option('--policy <name...>', 'all that these PropagationPolicies propagate')
    .option('--cluster-policy <name...>', 'all that these ClusterPropagationPolicies propagate')
    .option('--move-started', 'also work that runs to completion and has started: it begins anew')
    .option('--max-concurrent <count>', 'how many may be on the move at the same time', readCount)
    .option('--max-per-minute <count>', 'how many are begun in a minute at most', readCount)
    .option('--dry-run', 'print what would move, exit with 2 if anything would, change nothing')
    .option('--wait', 'go on until all is scheduled, and say what moved')
    .addOption(timeoutOption('10m'))
    .addOption(outputOption('wide'));
