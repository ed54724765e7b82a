import { Cluster as ClusterRecord } from '@perigee/api/kinds/globalscheduler/cluster';
import { Cluster as Target } from '@perigee/api/kinds/karmada/cluster';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isAlreadyExists } from '@perigee/kube/errors';
import { adoptedRecord } from '@perigee/scheduling/inventory/adopted-record';
import { FIELD_MANAGER } from './write-target.ts';

const comesOrGoes = (now: object | undefined, before: object | undefined): boolean =>
  now === undefined || before === undefined;

/** Takes clusters into the inventory that somebody joined to the control plane without it. */
export const clusterAdoptionController = (): ControllerDefinition =>
  defineController({
    name: 'cluster-adoption',
    for: Target,
    concurrency: 32,
    when: comesOrGoes,
    watches: [watch(ClusterRecord, { when: comesOrGoes })],
    async reconcile(ref, { cache, client, events, signal }) {
      const target = cache(Target).get(ref);
      if (target === undefined || target.metadata.deletionTimestamp !== undefined) return undefined;
      if (cache(ClusterRecord).get(ref) !== undefined) return undefined;
      try {
        const options = { fieldManager: FIELD_MANAGER, signal };
        const record = await client.create(ClusterRecord, adoptedRecord(target), options);
        events.normal(
          record,
          'ClusterAdopted',
          `taken over from clusters.cluster.karmada.io ${ref.name}`,
        );
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      return undefined;
    },
  });
