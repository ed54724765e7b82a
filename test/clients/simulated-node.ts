import type { Client } from '@perigee/kube/client/client';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { Pod } from '@perigee/kubernetes/core/pod';

const LONG_AGO = '2026-01-01T00:00:00Z';

/** Status that a kubelet reports of a pod that runs, or of one that completes at once. */
const statusOf = ({ spec }: Pod, address: string) => {
  const runs = spec.restartPolicy === 'Always';
  const state = runs
    ? { running: { startedAt: LONG_AGO } }
    : {
        terminated: {
          exitCode: 0,
          reason: 'Completed',
          startedAt: LONG_AGO,
          finishedAt: LONG_AGO,
        },
      };
  return {
    phase: runs ? 'Running' : 'Succeeded',
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: LONG_AGO,
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: runs || type === 'Initialized' || type === 'PodScheduled' ? 'True' : 'False',
      lastTransitionTime: LONG_AGO,
    })),
    containerStatuses: spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: image,
      ready: runs,
      started: runs,
      restartCount: 0,
      state,
    })),
  };
};

/** Does for every pod what a node would do, until the signal is aborted: runs it, or ends it. */
export const simulateNode = async (client: Client, signal: AbortSignal): Promise<void> => {
  let pods = 0;
  try {
    for await (const { type, object } of client.watch(Pod, { sendInitialEvents: true, signal })) {
      if (type === 'BOOKMARK' || type === 'DELETED') continue;
      const { name, namespace = '', deletionTimestamp } = object.metadata;
      const ref = { name, namespace };
      try {
        if (deletionTimestamp !== undefined) {
          await client.delete(Pod, ref, { gracePeriodSeconds: 0 });
        } else if (object.status?.phase === 'Pending') {
          pods += 1;
          const status = statusOf(object, `172.16.${pods >> 8}.${pods & 255}`);
          await client.patch(
            Pod,
            ref,
            { type: 'merge', body: { status } },
            { subresource: 'status' },
          );
        }
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
