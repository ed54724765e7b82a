import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { isFinished } from '../pods/pod-state.ts';
import { BY_NODE, nodeNameOf } from '../pods/pods-by-node.ts';

/** Ends pods whose node is gone: no kubelet would. */
export const podGcController = (): ControllerDefinition =>
  defineController({
    name: 'pod-garbage-collector-controller',
    for: Pod,
    when: (now, before) =>
      Boolean(now?.spec.nodeName) && now?.spec.nodeName !== before?.spec.nodeName,
    concurrency: 8,
    reads: [Node],
    indexes: [index(Pod, BY_NODE, nodeNameOf)],
    watches: [
      watch(Node, {
        when: (now) => now === undefined,
        map: ({ metadata }, caches) => caches(Pod).byIndex(BY_NODE, metadata.name).map(refOf),
      }),
    ],
    reconcile: async (ref, { cache, client }) => {
      const pod = cache(Pod).get(ref);
      const nodeName = pod?.spec.nodeName;
      if (!pod || !nodeName || cache(Node).get({ name: nodeName }) !== undefined) return undefined;
      const { uid } = pod.metadata;
      // The cache of nodes may be behind that of pods.
      if ((await getOrUndefined(client, Node, { name: nodeName })) !== undefined) return undefined;
      if (!isFinished(pod)) {
        const status = { ...pod.status, phase: 'Failed' as const, reason: 'NodeLost' };
        const writtenPod = await replaceStatus(client, Pod, pod, status).catch(ignoreNotFound);
        if (writtenPod === undefined) return undefined;
      }
      const options = { gracePeriodSeconds: 0, preconditions: { uid } };
      await client.delete(Pod, ref, options).catch(ignoreNotFound);
      return undefined;
    },
  });
