import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isNotFound } from '@perigee/kube/errors';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { isFinished } from '../pods/pod-state.ts';
import { BY_NODE, nodeNameOf } from '../pods/pods-by-node.ts';

/** Ends pods whose node is gone: there is nobody else who could. */
export const podGcController = (): ControllerDefinition =>
  defineController({
    name: 'pod-garbage-collector-controller',
    for: Pod,
    when: (now) => Boolean(now?.spec.nodeName),
    concurrency: 8,
    reads: [Node],
    indexes: [index(Pod, BY_NODE, nodeNameOf)],
    watches: [
      watch(Node, {
        when: (now) => now === undefined,
        map: ({ metadata }, caches) =>
          caches(Pod)
            .byIndex(BY_NODE, metadata.name)
            .map((pod) => ({ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name })),
      }),
    ],
    reconcile: async (ref, { cache, client }) => {
      const pod = cache(Pod).get(ref);
      const nodeName = pod?.spec.nodeName;
      if (!pod || !nodeName || cache(Node).get({ name: nodeName }) !== undefined) return undefined;
      const { uid } = pod.metadata;
      try {
        // The cache of nodes may be behind that of pods.
        await client.get(Node, { name: nodeName });
        return undefined;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      try {
        if (!isFinished(pod)) {
          const status = { ...pod.status, phase: 'Failed' as const, reason: 'NodeLost' };
          await client.update(Pod, { ...pod, status }, { subresource: 'status' });
        }
        await client.delete(Pod, ref, { gracePeriodSeconds: 0, preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return undefined;
    },
  });
