import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { metaOf } from '../registry/metadata.ts';
import { badRequest } from '../status/request-refusals.ts';

const SORTS = ['initContainers', 'containers', 'ephemeralContainers'];
const STATUSES = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

const WAITING: { readonly [reason: string]: string } = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/** The container that is meant: the one that is named, or the only one. */
export const chooseContainer = (pod: JsonObject, requestedName: string): string => {
  const { name: podName = '' } = metaOf(pod);
  const spec = objectAt(pod, 'spec');
  const names = SORTS.flatMap((sort) => objectsAt(spec, sort).map((it) => textAt(it, 'name')));
  if (requestedName !== '') {
    if (names.includes(requestedName)) return requestedName;
    throw badRequest(`container ${requestedName} is not valid for pod ${podName}`);
  }
  const [only, ...others] = objectsAt(spec, 'containers');
  if (only !== undefined && others.length === 0) return textAt(only, 'name');
  const choice = `choose one of: [${names.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${podName}, ${choice}`);
};

/** The run of the container whose output is wanted; refuses as kubelets do when there is none yet. */
export const containerIdFor = (pod: JsonObject, container: string, previous: boolean): string => {
  const { name: podName = '' } = metaOf(pod);
  const subject = `container ${goQuote(container)} in pod ${goQuote(podName)}`;
  const status = STATUSES.flatMap((list) => objectsAt(objectAt(pod, 'status'), list)).find(
    ({ name }) => name === container,
  );
  if (status === undefined) throw badRequest(`${subject} is not available`);
  const last = textAt(objectAt(status, 'lastState', 'terminated'), 'containerID');
  if (previous) {
    if (last !== '') return last;
    throw badRequest(`previous terminated ${subject} not found`);
  }
  const { running, terminated, waiting } = objectAt(status, 'state');
  if (running) return textAt(status, 'containerID');
  const isOver = Boolean(terminated) || Boolean(objectAt(status, 'lastState').terminated);
  const terminatedId = textAt(objectAt(status, 'state', 'terminated'), 'containerID');
  if (terminatedId !== '' || last !== '') return terminatedId || last;
  if (isOver) throw badRequest(`${subject} is terminated`);
  if (!waiting) throw badRequest(`${subject} is waiting to start - no logs yet`);
  const reason = textAt(objectAt(status, 'state', 'waiting'), 'reason');
  throw badRequest(`${subject} is waiting to start: ${WAITING[reason] ?? reason}`);
};
