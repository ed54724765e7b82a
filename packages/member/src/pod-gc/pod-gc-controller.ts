import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isNotFound } from '@perigee/kube/errors';
import { NODE } from '../kinds/node.ts';
import { POD } from '../kinds/pod.ts';
import { isFinished } from '../pods/pod-state.ts';
import { BY_NODE, nodeNameOf } from '../pods/pods-by-node.ts';

/** Ends pods whose node is gone: there is nobody else who could. */
export const podGcController = (): ControllerDefinition =>
  defineController({
    name: 'pod-garbage-collector-controller',
    for: POD,
    when: (now) => Boolean(now?.spec.nodeName),
    concurrency: 8,
    reads: [NODE],
    indexes: [index(POD, BY_NODE, nodeNameOf)],
    watches: [
      watch(NODE, {
        when: (now) => now === undefined,
        map: ({ metadata }, caches) =>
          caches(POD)
            .byIndex(BY_NODE, metadata.name)
            .map((pod) => ({ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name })),
      }),
    ],
    reconcile: async (ref, { cache, client }) => {
      const pod = cache(POD).get(ref);
      const nodeName = pod?.spec.nodeName;
      if (!pod || !nodeName || cache(NODE).get({ name: nodeName }) !== undefined) return undefined;
      const { uid } = pod.metadata;
      try {
        // The cache of nodes may be behind that of pods.
        await client.get(NODE, { name: nodeName });
        return undefined;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      try {
        if (!isFinished(pod)) {
          const status = { ...pod.status, phase: 'Failed' as const, reason: 'NodeLost' };
          await client.update(POD, { ...pod, status }, { subresource: 'status' });
        }
        await client.delete(POD, ref, { gracePeriodSeconds: 0, preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return undefined;
    },
  });
