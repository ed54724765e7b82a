import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import { sameJson } from '@perigee/schema/same-json';
import { groupKeysOf } from '../scheduler/pod-groups.ts';
import { GROUP_INDEX } from '../scheduler/scheduler-watches.ts';
import { podGroupStatus } from './pod-group-status.ts';

/** Keeps phase and counts of PodGroups, and admits them. */
export const podGroupController = (): ControllerDefinition =>
  defineController({
    name: 'podgroup-controller',
    for: PodGroup,
    concurrency: 8,
    indexes: [index(Pod, GROUP_INDEX, groupKeysOf)],
    watches: [
      watch(Pod, {
        map: (pod) => {
          const name = groupNameOf(pod);
          return name === undefined ? [] : [{ namespace: pod.metadata.namespace ?? '', name }];
        },
      }),
    ],
    reconcile: async (ref, { cache, client, clock }) => {
      const group = cache(PodGroup).get(ref);
      if (group === undefined || group.metadata.deletionTimestamp !== undefined) return undefined;
      const pods = cache(Pod).byIndex(GROUP_INDEX, objectKey(ref));
      const status = podGroupStatus(group, pods, clock.now());
      if (sameJson(status, group.status ?? {})) return undefined;
      await client.update(PodGroup, { ...group, status });
      return undefined;
    },
  });
