import type { KubeObject } from '@perigee/api/meta/object-meta';

/** On the target of a cluster that the control plane hosts: whether its pods are played, or run as processes. */
export const RUNS_PODS = 'member.perigee.io/pods';

const PLAYED = 'played';
const PROCESSES = 'processes';
const OF = ' of ';

/** How pods are run, for the annotation; without processes they are played. */
export const podsAreRun = (
  processes: { readonly namespaces?: readonly string[] | undefined } | undefined,
): string => {
  if (processes === undefined) return PLAYED;
  const { namespaces = [] } = processes;
  return namespaces.length === 0 ? PROCESSES : `${PROCESSES}${OF}${namespaces.join(',')}`;
};

/**
 * How a cluster runs the pods of a namespace. A cluster that the control plane does not host runs them; one that it
 * does can also play them, so that nothing runs.
 */
export const runsPods = (
  { metadata: { annotations } }: Pick<KubeObject, 'metadata'>,
  namespace: string,
): { readonly really: boolean; readonly played: boolean } => {
  const said = annotations?.[RUNS_PODS];
  if (said === undefined) return { really: true, played: false };
  const [how, namespaces] = said.split(OF);
  const isAllowed = namespaces === undefined || namespaces.split(',').includes(namespace);
  return { really: how === PROCESSES && isAllowed, played: true };
};
