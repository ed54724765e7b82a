import type { Flow } from '@perigee/scheduling/flows/flow-graph';
import { flowReport, isOver } from '@perigee/scheduling/flows/flow-report';
import type { Command } from 'commander';
import { openConnection } from '../connect.ts';
import { AlreadyReported } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { showAndFollow } from '../output/show-and-follow.ts';
import { formatStructured } from '../output/structured-output.ts';
import { terminalOf } from '../output/terminal.ts';
import { formatFlow } from './format-flow.ts';
import { findFlow, readFlows } from './read-flows.ts';
import type { FlowOptions } from './run-flow-list.ts';

/** The lines that were not in the previous text: output that is not a terminal gets only those. */
const newLines = (text: string, before: ReadonlySet<string>): string =>
  text
    .split('\n')
    .filter((line) => line !== '' && !before.has(line))
    .map((line) => `${line}\n`)
    .join('');

/** Shows a flow with its steps. With `--follow` it ends with the flow, and fails if the flow failed. */
export const runFlowShow = async (
  target: string,
  { namespace: namespaceOption, output, watch = false }: FlowOptions,
  command: Command,
): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client } = connection;
  const namespace = namespaceOption ?? connection.namespace;
  const isDrawn = terminalOf(process.stdout).width !== undefined;
  let lastLines: ReadonlySet<string> = new Set();
  let last: Flow | undefined;
  await showAndFollow(
    client,
    watch,
    async () => {
      const { flows, versions } = await readFlows(client, namespace);
      const flow = findFlow(flows, target, namespace);
      last = flow;
      const report = flowReport(flow);
      const structured = await formatStructured(output, report);
      const whole = structured ?? formatFlow(report, { isWide: output === 'wide' });
      const text = isDrawn || structured !== undefined ? whole : newLines(whole, lastLines);
      lastLines = new Set(whole.split('\n'));
      return { text, versions: isOver(flow) ? new Map() : versions };
    },
    { isPieces: !isDrawn },
  );
  if (watch && last?.phase === 'Failed') throw new AlreadyReported(EXIT.failed, 'the flow failed');
};
