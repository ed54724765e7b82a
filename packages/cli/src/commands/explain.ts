import { explain } from '@perigee/scheduling/placement/explain';
import { isRescheduleDue } from '@perigee/scheduling/placement/placement-request';
import { schedule } from '@perigee/scheduling/placement/schedule';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { formatExplanation } from '../explain/format-explanation.ts';
import { type AnyBinding, readPlacementState } from '../explain/read-state.ts';
import { formatStructured, outputOption } from '../output/structured.ts';

interface ExplainOptions {
  readonly namespace: string;
  readonly fresh?: boolean;
  readonly output?: string;
}

const AFTER = `
It reads the binding of the workload and all clusters through the API, and decides once more with the
very functions that the scheduler uses. Nothing is changed.

Examples:
  perigee explain deployment/web               why its replicas are where they are
  perigee explain deployment/web --fresh       where they would go if nothing had been decided yet
  perigee explain rb/web-deployment -o json    the same by its binding, for programs

VERDICT says what became of each cluster, ROOM how many more replicas it could take, BY which filter refused
it or which scores it got.`;

/** As if nothing had been decided before. */
const forgotten = (binding: AnyBinding): AnyBinding => {
  const { clusters: _, rescheduleTriggeredAt: __, ...spec } = binding.spec;
  const { schedulerObservingAffinityName: ___, ...status } = binding.status ?? {};
  return { ...binding, spec, status } as AnyBinding;
};

const show = async (target: string, options: ExplainOptions, command: Command): Promise<void> => {
  await using client = await connect(command);
  const state = await readPlacementState(client, target, options.namespace);
  const { spec, status = {} } = options.fresh ? forgotten(state.binding) : state.binding;
  const isFresh = options.fresh === true || isRescheduleDue(spec, status);
  const explanation = explain(spec, schedule(spec, status, state.world), isFresh);
  const { kind, namespace, name } = spec.resource;
  const what = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  process.stdout.write(
    formatStructured(options.output, explanation) ?? formatExplanation(what, explanation),
  );
};

export const addExplain = (program: Command): void => {
  program
    .command('explain')
    .description('Say why a workload is where it is, or why it is nowhere')
    .argument('<kind/name>', 'the workload, such as deployment/web, or its binding')
    .option('-n, --namespace <name>', 'the namespace of the workload', 'default')
    .option('--fresh', 'decide as if nothing had been decided before')
    .addOption(outputOption())
    .addHelpText('after', AFTER)
    .action((target: string, options: ExplainOptions, command: Command) =>
      show(target, options, command),
    );
};
