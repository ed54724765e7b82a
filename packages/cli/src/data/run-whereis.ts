import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { datasetNamedBy } from '@perigee/scheduling/flows/dataset-source';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { formatStructured } from '../output/structured-output.ts';
import { dataOverview } from './data-overview.ts';
import { formatData } from './format-data.ts';
import { readData } from './read-data.ts';
import type { DataOptions } from './run-data.ts';

/** Shows the clusters of some data, and its claims. */
export const runWhereis = async (
  name: string,
  { namespace, output }: DataOptions,
  command: Command,
): Promise<void> => {
  await using client = await connect(command);
  const all = await readData(client, namespace);
  const sources = all.sources.filter(
    ({ metadata, spec }) =>
      spec.name === name || metadata.name === name || datasetNamedBy(metadata.name)?.name === name,
  );
  const names = new Set(sources.map(({ metadata }) => metadata.name));
  const claims = all.claims.filter(
    ({ spec, status }) => spec.dataSourceName === name || names.has(status?.boundDataSource ?? ''),
  );
  const overview = dataOverview(sources, claims, all.clusters);
  if (sources.length > 0) {
    const text =
      (await formatStructured(output, overview)) ??
      formatData(overview, { isWide: output === 'wide', now: clock.now() });
    process.stdout.write(text);
    return;
  }
  const [first] = overview.claims;
  const more = overview.claims.length - 1;
  const who =
    first === undefined
      ? ''
      : `; the claim ${first.namespace}/${first.claim} waits for it${more > 0 ? `, and ${more} more` : ''}: ${first.message}`;
  throw new CommandError(
    EXIT.notFound,
    `no DataSource says where ${name} is${who}. See "perigee data" for all data.`,
  );
};
