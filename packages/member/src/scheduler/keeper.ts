import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { refOfKey } from '@perigee/kube/informer/object-key';
import { Pod } from '@perigee/kubernetes/core/pod';
import { present } from '@perigee/schema/present';
import { demandOf } from './pod-demand.ts';
import { GROUP_INDEX, needsNode } from './scheduler-watches.ts';
import type { World } from './world.ts';

/** True while a gang waits for nodes. A deleted gang reserves nothing. */
const isWaiting = ({ cache }: ReconcileContext, gang: string): boolean =>
  cache(PodGroup).get(refOfKey(gang)) !== undefined &&
  cache(Pod).byIndex(GROUP_INDEX, gang).some(needsNode);

/** The gang whose reservation blocks these pods. */
export const keeperFrom = (
  { keptRoom }: World,
  pods: readonly Pod[],
  priority: number,
  context: ReconcileContext,
  gang?: string,
): string | undefined => {
  const asks = new Set(pods.flatMap((pod) => [...demandOf(pod).amounts.keys()]));
  const candidate = { priority, asks, ...present({ gang }) };
  for (;;) {
    const keeper = keptRoom.keeperFrom(candidate, context.clock.monotonic());
    if (keeper === undefined || isWaiting(context, keeper)) return keeper;
    keptRoom.end(keeper);
  }
};

/** The wait class of pods that a reservation blocks. */
export const keptFor = (keeper: string): string => `kept for ${keeper}`;
