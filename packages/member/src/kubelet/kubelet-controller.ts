import { refOf } from '@perigee/kube/client/ref-of';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { isNodeReady, Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { present } from '@perigee/schema/present';
import { configIndex, configWatches, missingNow } from '../config/config-watches.ts';
import type { MissingConfig } from '../config/missing-config.ts';
import { hashText } from '../pods/hash-text.ts';
import { isTerminating } from '../pods/pod-state.ts';
import { BY_NODE, nodeNameOf } from '../pods/pods-by-node.ts';
import { behaviourOf, type PodDelays, STANDARD_DELAYS } from './behaviour.ts';
import { type NodeFacts, nextStep } from './next-step.ts';

/** Writes a Warning event for the missing references of a pod, as a kubelet does. */
const reportMissing = (
  pod: Pod,
  { volumes, containers }: MissingConfig,
  { events }: Pick<ReconcileContext, 'events'>,
): void => {
  for (const message of volumes) events.warning(pod, 'FailedMount', message);
  if (volumes.length > 0) return;
  for (const message of containers.values()) events.warning(pod, 'Failed', `Error: ${message}`);
};

const ADDRESSES = 2 ** 24;

/** An address in 10.0.0.0/8 derived from the uid; the next free one if taken. */
const podAddress = (uid: string, isTaken: (address: string) => boolean): string => {
  const first = hashText(uid) % ADDRESSES;
  for (let step = 0; step < ADDRESSES; step++) {
    const number = (first + step) % ADDRESSES;
    const last = number & 255;
    if (last === 0 || last === 255) continue;
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${last}`;
    if (!isTaken(address)) return address;
  }
  throw new RangeError(
    'all addresses of pods are taken: there are more pods than 10.0.0.0/8 holds',
  );
};

export interface KubeletOptions {
  readonly delays?: Partial<PodDelays>;
  /** Selects the pods to simulate, all by default; another runtime has the others. */
  readonly simulates?: (pod: Pod) => boolean;
}

const BY_ADDRESS = 'pod-address';

const addressOf = ({ status }: Pod): readonly string[] => (status?.podIP ? [status.podIP] : []);

const factsOf = (pod: Pod, node: Node, cache: Caches): NodeFacts => {
  const { addresses = [] } = node.status ?? {};
  const isTaken = (address: string) => cache(Pod).byIndex(BY_ADDRESS, address).length > 0;
  const missingConfig = missingNow(pod, cache);
  return {
    hostIP: addresses.find(({ type }) => type === 'InternalIP')?.address ?? '',
    podIP: pod.status?.podIP ?? podAddress(pod.metadata.uid, isTaken),
    ...present({ missingConfig }),
  };
};

const act = async (
  pod: Pod,
  node: Node,
  delays: PodDelays,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { client, cache, clock } = context;
  const now = clock.now();
  const facts = factsOf(pod, node, cache);
  const step = nextStep(pod, behaviourOf(pod, delays), facts, now);
  // A lack that is in the status is reported as an event, now and with every change.
  const isReported = pod.status?.startTime !== undefined && step.kind !== 'report';
  if (isReported && facts.missingConfig !== undefined && !isTerminating(pod)) {
    reportMissing(pod, facts.missingConfig, context);
  }
  switch (step.kind) {
    case 'nothing':
      return undefined;
    case 'wait':
      return { requeueAfterMs: step.until - now };
    case 'report':
      await replaceStatus(client, Pod, pod, step.status);
      return undefined;
    case 'remove': {
      const { uid } = pod.metadata;
      await client.delete(Pod, refOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
      return undefined;
    }
  }
};

const podsOn = ({ metadata: { name } }: Node, caches: Caches) =>
  caches(Pod).byIndex(BY_NODE, name).map(refOf);

/**
 * The kubelets of all nodes: start, end and remove pods by the clock. One queue serves all nodes, so that idle nodes
 * and running pods cost nothing. Nodes that are not ready are skipped.
 */
export const kubeletController = ({
  delays,
  simulates = () => true,
}: KubeletOptions = {}): ControllerDefinition => {
  const usual = { ...STANDARD_DELAYS, ...delays };
  return defineController({
    name: 'kubelet',
    for: Pod,
    when: (pod) => Boolean(pod?.spec.nodeName),
    concurrency: 16,
    reads: [Node],
    indexes: [index(Pod, BY_NODE, nodeNameOf), index(Pod, BY_ADDRESS, addressOf), configIndex],
    watches: [
      ...configWatches,
      watch(Node, {
        map: podsOn,
        when: (now, before) =>
          now !== undefined && isNodeReady(now) && !(before !== undefined && isNodeReady(before)),
      }),
    ],
    reconcile: async (ref, context) => {
      const pod = context.cache(Pod).get(ref);
      const node = pod?.spec.nodeName && context.cache(Node).get({ name: pod.spec.nodeName });
      if (!pod || !node || !isNodeReady(node) || !simulates(pod)) return undefined;
      return act(pod, node, usual, context).catch(ignoreNotFound);
    },
  });
};
