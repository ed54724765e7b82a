import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { sameJson } from '@perigee/schema/same-json';

const FIELD_MANAGER = 'perigee-scheduler-session';

/** The clusters that other active schedulers still hold. */
const heldByOthers = (name: string, cache: Caches): ReadonlySet<string> => {
  const others = [...cache(Scheduler).list()].filter(
    ({ metadata, status }) => metadata.name !== name && status?.phase !== 'Unavailable',
  );
  return new Set(others.flatMap(({ status }) => status?.clusters?.inUse ?? []));
};

/**
 * Runs in a scheduler's process and takes over its clusters: each only after its former scheduler has released it,
 * or is gone. Clusters that were reassigned are released at once.
 */
export const schedulerSessionController = (name: string): ControllerDefinition =>
  defineController({
    name: 'scheduler-session',
    for: Scheduler,
    async reconcile(_, { cache, client, signal }) {
      const scheduler = cache(Scheduler).get({ name });
      if (scheduler === undefined) return undefined;
      const { desired = [], inUse: before = [] } = scheduler.status?.clusters ?? {};
      const clustersOfOthers = heldByOthers(name, cache);
      const inUse = desired.filter((cluster) => !clustersOfOthers.has(cluster));
      if (sameJson(inUse, before)) return undefined;
      const options = { fieldManager: FIELD_MANAGER, signal };
      await patchStatus(client, Scheduler, scheduler, { clusters: { inUse } }, options);
      return undefined;
    },
  });
