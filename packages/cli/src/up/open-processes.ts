import { join } from 'node:path';
import { detectIsolation } from '@perigee/member/isolation/detect-isolation';
import { describeIsolation } from '@perigee/member/isolation/isolation';
import type { ProcessOptions } from '@perigee/member/process-runtime/process-options';
import type { PerigeeOptions } from './start-perigee.ts';

const whose = (namespaces: readonly string[]): string => {
  if (namespaces.length === 0) return 'all namespaces';
  return `${namespaces.length === 1 ? 'the namespace' : 'the namespaces'} ${namespaces.join(', ')}`;
};

const HINT = '; --process-namespaces restricts it';

/**
 * How members run pods as processes of this machine, if the options let them. Says to whom that gives the
 * machine, and what keeps them apart from its operator.
 */
export const openProcesses = async (
  { runProcesses, processNamespaces: namespaces, onProgress = () => {} }: PerigeeOptions,
  data: string,
): Promise<(member: string) => ProcessOptions | undefined> => {
  if (runProcesses === false) return () => undefined;
  const hint = namespaces.length === 0 ? HINT : '';
  onProgress(
    `pods of ${whose(namespaces)} may run commands on this machine: that is, whoever may create workloads there, in the control plane or in a member${hint}`,
  );
  const isolation = await detectIsolation();
  onProgress(describeIsolation(isolation));
  return (member) =>
    runProcesses === true || runProcesses.includes(member)
      ? {
          allow: true,
          folder: join(data, 'processes', member),
          hide: [data],
          isolation,
          ...(namespaces.length > 0 && { namespaces }),
        }
      : undefined;
};
