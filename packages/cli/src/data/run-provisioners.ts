import { PLUGINS } from '@perigee/controllers/data/provision/provisioners';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { readProvisioners } from '@perigee/scheduling/data/provision/provisioner-config';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { formatReasonsTable } from '../output/reasons-table.ts';
import { formatStructured } from '../output/structured-output.ts';
import { type ProvisionerLine, provisionerLines } from './provisioner-lines.ts';
import { readData } from './read-data.ts';

const NONE = `No provisioner is configured: see the ConfigMap ${PLUGINS.namespace}/${PLUGINS.name}.\n`;

const formatLines = (lines: readonly ProvisionerLine[], isWide: boolean): string => {
  if (lines.length === 0) return NONE;
  const rows = lines.map((line) => [
    line.system,
    line.plugin ?? '-',
    line.state,
    String(line.sources),
    String(line.waiting),
    line.message ?? '',
  ]);
  const header = ['SYSTEM', 'PLUGIN', 'STATE', 'SOURCES', 'WAITING', 'WHY'];
  return formatReasonsTable([header, ...rows], { isWide });
};

/** Shows the configured provisioners with their state. */
export const runProvisioners = async (
  { output }: { readonly output?: string },
  command: Command,
): Promise<void> => {
  await using client = await connect(command);
  const configMap = await getOrUndefined(client, ConfigMap, PLUGINS);
  const { sources, claims } = await readData(client, undefined);
  const lines = provisionerLines(readProvisioners(configMap?.data ?? {}), sources, claims);
  const text = (await formatStructured(output, lines)) ?? formatLines(lines, output === 'wide');
  process.stdout.write(text);
};
