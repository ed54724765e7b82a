import { flowReport } from '@perigee/scheduling/flows/flow-report';
import type { Command } from 'commander';
import { openConnection } from '../connect.ts';
import { showAndFollow } from '../output/show-and-follow.ts';
import { formatStructured } from '../output/structured-output.ts';
import { formatFlows } from './format-flow.ts';
import { readFlows } from './read-flows.ts';

export interface FlowOptions {
  readonly namespace?: string;
  readonly output?: string;
  readonly watch?: boolean;
}

/** Shows all flows with their state. */
export const runFlowList = async (
  {
    namespace,
    allNamespaces = false,
    output,
    watch = false,
  }: FlowOptions & {
    readonly allNamespaces?: boolean;
  },
  command: Command,
): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client } = connection;
  const where = allNamespaces ? undefined : (namespace ?? connection.namespace);
  await showAndFollow(client, watch, async () => {
    const { flows, versions } = await readFlows(client, where);
    const reports = flows.map(flowReport);
    const text =
      (await formatStructured(output, { flows: reports })) ??
      formatFlows(reports, { isWide: output === 'wide' });
    return { text, versions };
  });
};
