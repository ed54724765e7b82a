import type { Client } from '@perigee/kube/client/client';
import { Pod, type PodSpec } from '@perigee/kubernetes/core/pod';
import { RUNTIME } from '../../src/process-runtime/runtime-of.ts';
import type { ProcessContainer } from '../../src/processes/process-spec.ts';

export const REF = { namespace: 'default', name: 'p' };

export const container = (
  command: readonly string[],
  fields: Partial<ProcessContainer> = {},
): ProcessContainer => ({ name: 'main', image: 'none', command, ...fields });

export type Spec = Omit<Partial<PodSpec>, 'containers' | 'initContainers' | 'volumes'> & {
  readonly containers: readonly ProcessContainer[];
  readonly initContainers?: readonly ProcessContainer[];
  readonly volumes?: readonly object[];
};

/** Creates a pod that asks for processes. */
export const createPod = (client: Client, spec: Spec): Promise<Pod> =>
  client.create(Pod, {
    metadata: { ...REF, labels: { app: 'p' }, annotations: { [RUNTIME]: 'process' } },
    spec: spec as PodSpec,
  });

/** In a few words: phase, reason, and for each container what it does, its code and its restarts. */
export const stateOf = async (client: Client): Promise<string> => {
  const { status = {} } = await client.get(Pod, REF);
  const containers = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
  ].map(({ name, state = {}, restartCount, ready }) => {
    const { running, waiting, terminated } = state;
    const does = running ? 'runs' : (waiting?.reason ?? terminated?.reason ?? '-');
    const code = terminated ? ` ${terminated.exitCode}` : '';
    return `${name}${ready ? '+' : ''} ${does}${code} x${restartCount}`;
  });
  return [status.phase, status.reason, ...containers].filter(Boolean).join(', ');
};
