import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { isActive } from '../pods/pod-state.ts';
import { NodeTable } from './node-table.ts';
import { Placement } from './placement.ts';
import { demandOf } from './pod-demand.ts';
import { schedulingOrder } from './pod-priority.ts';

/** Lifetime of the snapshot, which takes a scan of all pods. */
const GOOD_FOR_MS = 30_000;

/** Services run until they are deleted; all other work ends by itself. */
const isLasting = (pod: Pod): boolean =>
  isActive(pod) && (pod.spec.restartPolicy ?? 'Always') === 'Always';

const withoutNode = (pod: Pod): Pod => {
  const { nodeName: _, ...spec } = pod.spec;
  return { ...pod, spec };
};

/** The free resources beside services, once all finite work has ended. */
export class LastingRoom {
  #placement: Placement | undefined;
  #takenAt = 0;

  /** True if a gang would start there. If not, waiting does not help it. */
  fits(group: PodGroup, members: readonly Pod[], context: ReconcileContext): boolean {
    const placement = this.#current(context);
    const order = schedulingOrder(context.cache(PriorityClass));
    const afresh = members.map(withoutNode);
    const { assignments, shortage } = placement.placeGroup(group, afresh, order);
    for (const { pod } of assignments) placement.table.remove(pod.metadata.uid);
    return shortage === undefined;
  }

  clear(): void {
    this.#placement = undefined;
  }

  #current({ cache, clock }: ReconcileContext): Placement {
    const now = clock.monotonic();
    if (this.#placement !== undefined && now - this.#takenAt < GOOD_FOR_MS) return this.#placement;
    const table = new NodeTable();
    for (const node of cache(Node).list()) table.putNode(node);
    for (const pod of cache(Pod).list()) {
      const { nodeName } = pod.spec;
      if (nodeName && isLasting(pod)) table.place(pod.metadata.uid, nodeName, demandOf(pod));
    }
    this.#takenAt = now;
    this.#placement = new Placement(table);
    return this.#placement;
  }
}
