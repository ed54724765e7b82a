import { relative } from 'node:path';
import { pathSetting } from '../on-path.ts';
import { formatTable } from '../output/table.ts';
import type { Perigee } from './start-perigee.ts';

/** The shorter way to a file, as a user would type it. */
const shortPath = (path: string): string => {
  const near = relative(process.cwd(), path);
  return near !== '' && !near.startsWith('..') ? near : path;
};

/** What there is now, and what to type next. */
export const welcome = ({ server, kubeconfig, members }: Perigee, tookMs: number): string => {
  const rows = members.map(({ metadata, spec }) => [
    `  ${metadata.name}`,
    spec.region?.region ?? '',
    spec.operator?.operator ?? '',
    String(spec.flavors?.reduce((sum, { totalCapacity }) => sum + Number(totalCapacity), 0)),
  ]);
  const table =
    members.length === 0
      ? ''
      : `\n${formatTable([['  MEMBER', 'REGION', 'PROVIDER', 'NODES'], ...rows])}`;
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

Each member is a context of its own: kubectl --context=${members[0]?.metadata.name ?? 'member1'} get pods
docs/tutorial.md shows you around. Press Ctrl-C to stop.
`;
};
