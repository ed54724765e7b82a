import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { showAndFollow } from '../output/show-and-follow.ts';
import { formatStructured } from '../output/structured-output.ts';
import { dataOverview } from './data-overview.ts';
import { formatData } from './format-data.ts';
import { readData } from './read-data.ts';

export interface DataOptions {
  readonly namespace?: string;
  readonly output?: string;
  readonly watch?: boolean;
}

/** Shows data sources with their clusters, and claims. */
export const runData = async (options: DataOptions, command: Command): Promise<void> => {
  const { namespace, output, watch = false } = options;
  await using client = await connect(command);
  await showAndFollow(client, watch, async () => {
    const { sources, claims, clusters, versions } = await readData(client, namespace);
    const overview = dataOverview(sources, claims, clusters);
    const text =
      (await formatStructured(output, overview)) ??
      formatData(overview, { isWide: output === 'wide', now: clock.now() });
    return { text, versions };
  });
};
