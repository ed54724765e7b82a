import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { refOfKey } from '@perigee/kube/informer/object-key';
import { Pod } from '@perigee/kubernetes/core/pod';
import { demandOf } from './pod-demand.ts';
import { GROUP_INDEX, needsNode } from './scheduler-news.ts';
import type { World } from './world.ts';

/** Whether a gang still waits for nodes. One that is gone keeps nobody from anything. */
const isWaiting = ({ cache }: ReconcileContext, gang: string): boolean =>
  cache(PodGroup).get(refOfKey(gang)) !== undefined &&
  cache(Pod).byIndex(GROUP_INDEX, gang).some(needsNode);

/** The gang that has waited so long that what others ask for is kept for it. */
export const keeperFrom = (
  { kept }: World,
  pods: readonly Pod[],
  priority: number,
  context: ReconcileContext,
  gang?: string,
): string | undefined => {
  const asks = new Set(pods.flatMap((pod) => [...demandOf(pod).amounts.keys()]));
  const candidate = { priority, asks, ...(gang === undefined ? {} : { gang }) };
  for (;;) {
    const keeper = kept.keeperFrom(candidate, context.clock.monotonic());
    if (keeper === undefined || isWaiting(context, keeper)) return keeper;
    kept.end(keeper);
  }
};

/** The class of those who wait because of it. */
export const keptFor = (keeper: string): string => `kept for ${keeper}`;
