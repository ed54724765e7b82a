import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { Node } from '@perigee/kubernetes/core/node';
import { formatTime } from '@perigee/schema/values/time';
import { conditionTaints } from './condition-taints.ts';

/** Keeps taints of nodes in step with their conditions. */
export const nodeLifecycleController = (): ControllerDefinition =>
  defineController({
    name: 'node-lifecycle-controller',
    for: Node,
    concurrency: 16,
    reconcile: async (ref, { cache, client, clock }) => {
      const node = cache(Node).get(ref);
      if (node === undefined) return undefined;
      const taints = conditionTaints(node);
      if (taints === undefined) return undefined;
      const timeAdded = formatTime(clock.now());
      const stamped = taints.map((taint) =>
        taint.effect === 'NoExecute' && taint.timeAdded === undefined
          ? { ...taint, timeAdded }
          : taint,
      );
      await client.update(Node, { ...node, spec: { ...node.spec, taints: stamped } });
      return undefined;
    },
  });
