import { relative } from 'node:path';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Perigee } from '@perigee/host/start-perigee';
import { pathSetting } from '../on-path.ts';
import { formatTable } from '../output/table.ts';

/** The shorter of the absolute and the relative path. */
const shortPath = (path: string): string => {
  const near = relative(process.cwd(), path);
  return near !== '' && !near.startsWith('..') ? near : path;
};

const isVirtual = ({ spec }: ClusterRecord): boolean => spec.type === 'virtual';

/** Number of simulated nodes; empty for real clusters. */
const nodesOf = (record: ClusterRecord): string => {
  if (!isVirtual(record)) return '';
  const { flavors = [] } = record.spec;
  return String(flavors.reduce((sum, { totalCapacity }) => sum + Number(totalCapacity), 0));
};

/** The message after the start: the clusters, and the commands to try next. */
export const welcome = (
  { server, kubeconfig }: Pick<Perigee, 'server' | 'kubeconfig'>,
  clusters: readonly ClusterRecord[],
  tookMs: number,
): string => {
  const rows = clusters.map((record) => [
    `  ${record.metadata.name}`,
    record.spec.type,
    record.spec.region?.region ?? '',
    record.spec.operator?.operator ?? '',
    nodesOf(record),
  ]);
  const table =
    clusters.length === 0
      ? ''
      : `\n${formatTable([['  CLUSTER', 'TYPE', 'REGION', 'OPERATOR', 'NODES'], ...rows])}`;
  const virtual = clusters.find(isVirtual);
  const contexts =
    virtual === undefined
      ? ''
      : `Each virtual cluster is a context of its own: kubectl --context=${virtual.metadata.name} get pods\n`;
  const settings = [pathSetting() ?? [], `export KUBECONFIG=${shortPath(kubeconfig)}`].flat();
  return `
Perigee is up after ${(tookMs / 1000).toFixed(1)} s, at ${server.url}
${table}
In another terminal:

${settings.map((line) => `  ${line}\n`).join('')}  perigee status                           # all on one screen
  kubectl create deployment web --image=nginx --replicas=6
  kubectl apply -f examples/web-policy.yaml
  kubectl rollout status deployment web    # divided over the clusters
  perigee explain deployment/web           # why there

${contexts}docs/tutorial.md shows you around. Press Ctrl-C to stop.
`;
};
