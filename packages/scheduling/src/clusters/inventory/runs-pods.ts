import type { KubeObject } from '@perigee/api/meta/object-meta';

/** On the target of a hosted cluster: whether its pods are simulated or run as processes. */
export const RUNS_PODS = 'member.perigee.io/pods';

const PLAYED = 'played';
const PROCESSES = 'processes';
const OF = ' of ';

/** The annotation value; without processes, pods are simulated. */
export const podsAreRun = (
  processes: { readonly namespaces?: readonly string[] | undefined } | undefined,
): string => {
  if (processes === undefined) return PLAYED;
  const { namespaces = [] } = processes;
  return namespaces.length === 0 ? PROCESSES : `${PROCESSES}${OF}${namespaces.join(',')}`;
};

/**
 * The mode in which a cluster runs the pods of a namespace. A cluster that is not hosted runs them; a hosted one
 * simulates them unless its annotation allows processes.
 */
export const runsPods = (
  { metadata: { annotations } }: Pick<KubeObject, 'metadata'>,
  namespace: string,
): { readonly really: boolean; readonly played: boolean } => {
  const mark = annotations?.[RUNS_PODS];
  if (mark === undefined) return { really: true, played: false };
  const [how, namespaces] = mark.split(OF);
  const isAllowed = namespaces === undefined || namespaces.split(',').includes(namespace);
  return { really: how === PROCESSES && isAllowed, played: true };
};
