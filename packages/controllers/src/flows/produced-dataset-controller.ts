import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ensure } from '@perigee/kube/client/ensure';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { producedDatasets } from '@perigee/scheduling/flows/produced-dataset';
import { sameJson } from '@perigee/schema/same-json';

const FIELD_MANAGER = 'perigee-produced-data';

/** Creates the Datasets that processes produce, once they are complete in a cluster. Existing ones are not changed. */
export const producedDatasetController = (): ControllerDefinition =>
  defineController({
    name: 'produced-datasets',
    for: DataProcess,
    concurrency: 4,
    when: (now, before) =>
      now?.spec.produces !== undefined &&
      !sameJson(now.status?.clusters as never, before?.status?.clusters as never),
    reads: [Dataset],
    async reconcile(ref, { cache, client, signal }) {
      const process = cache(DataProcess).get(ref);
      const isMade = process?.status?.clusters?.some(({ phase }) => phase === 'Complete');
      if (process === undefined || !isMade) return undefined;
      if (process.metadata.deletionTimestamp !== undefined) return undefined;
      for (const dataset of producedDatasets(process)) {
        const { namespace = '', name = '' } = dataset.metadata;
        if (cache(Dataset).get({ namespace, name }) !== undefined) continue;
        const options = { fieldManager: FIELD_MANAGER, signal };
        await ensure(client, Dataset, dataset, options);
      }
      return undefined;
    },
  });
