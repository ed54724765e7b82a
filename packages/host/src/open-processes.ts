import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { detectIsolation } from '@perigee/member/isolation/detect-isolation';
import type { NodeProgram, ProcessOptions } from '@perigee/member/process-runtime/process-options';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { Features, PerigeeOptions } from './perigee-options.ts';

/** Data operations run the mover by this name. */
const MOVER: NodeProgram = {
  name: 'perigee-mover',
  folder: fileURLToPath(new URL('..', import.meta.resolve('@perigee/mover/main'))),
  module: 'src/main.js',
};

/**
 * The settings with which each member runs pods as processes of this machine, if the options allow it.
 * Reports the namespaces that get this access, and how their processes are isolated from the operator.
 */
export const openProcesses = async (
  { runProcesses, processNamespaces: namespaces, hostPaths }: Features,
  data: string,
  onProgress: PerigeeOptions['onProgress'],
): Promise<(member: string) => ProcessOptions | undefined> => {
  if (runProcesses === false) return () => undefined;
  const isolation = await detectIsolation();
  onProgress?.({ step: 'processes', namespaces, hostPaths, isolation });
  return (member) =>
    runProcesses === true || runProcesses.includes(member)
      ? {
          allow: true,
          folder: join(data, 'processes', member),
          hide: [data],
          isolation,
          hostPaths,
          programs: [MOVER],
          ...present({ namespaces: unlessEmpty(namespaces) }),
        }
      : undefined;
};
