import type { Client } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Pod } from '@perigee/kubernetes/core/pod';

/** Plays the part of a kubelet for pods that have a node, as far as others see it, until it is disposed. */
export const playKubelet = (client: Client): AsyncDisposable => {
  const stop = new AbortController();
  const { signal } = stop;
  const startPod = async (pod: Pod): Promise<void> => {
    const containerStatuses = (pod.spec.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: true,
      restartCount: 0,
      state: { running: {} },
    }));
    const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }));
    const body = { status: { phase: 'Running', conditions, containerStatuses } };
    const patch = { type: 'merge', body } as const;
    await client.patch(Pod, refOf(pod), patch, { subresource: 'status', signal });
  };
  const look = async (pod: Pod): Promise<void> => {
    const { metadata, spec, status } = pod;
    if (metadata.deletionTimestamp !== undefined) {
      await client.delete(Pod, refOf(pod), { gracePeriodSeconds: 0, signal });
    } else if (spec.nodeName && status?.phase === 'Pending') await startPod(pod);
  };
  const watching = (async () => {
    for await (const event of client.watch(Pod, { signal })) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED') {
        await look(event.object).catch(ignoreNotFound);
      }
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await watching;
    },
  };
};
