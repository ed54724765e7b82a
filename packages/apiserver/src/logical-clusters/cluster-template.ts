import type { JsonObject } from '@perigee/api/json';
import { formatTime } from '@perigee/api/values/time';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { createInProcessClient } from '../client/in-process-client.ts';
import { serviceAllocation } from '../kinds/services/service-allocation.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResourceCatalog } from '../registry/resource-catalog.ts';
import { createMemoryStore } from '../store/memory-store.ts';

/** An object of every cluster; its table is named without the cluster. */
interface Original {
  readonly table: string;
  readonly key: string;
  readonly object: JsonObject;
}

export interface TemplateOptions {
  readonly clock: Clock;
  readonly builtins: ResourceCatalog;
  readonly fieldManager: string;
  readonly serviceRange?: string;
  /** Creates what every cluster has, where it is missing. */
  readonly fill: (client: Client) => Promise<void>;
}

const SCRATCH = 'scratch';

const makeOriginals = async (options: TemplateOptions): Promise<readonly Original[]> => {
  const { clock, builtins, fieldManager, fill } = options;
  await using store = createMemoryStore();
  const place = { store, clock, cluster: SCRATCH };
  const allocate = serviceAllocation(place, options.serviceRange);
  const registry = { ...place, resources: builtins, allocate };
  await fill(createInProcessClient(registry, { fieldManager }));
  return store.tables().flatMap((table) =>
    store.range(table).entries.map(({ key, object }) => ({
      table: table.slice(SCRATCH.length),
      key,
      object,
    })),
  );
};

/** The same object as if it had been created now. */
const bornNow = (object: JsonObject, clock: Clock, time: string): JsonObject => {
  const meta = storedMetaOf(object);
  const managedFields = (meta.managedFields ?? []).map((fields) => ({ ...fields, time }));
  const metadata = { ...meta, uid: clock.uuid(), creationTimestamp: time, managedFields };
  return { ...object, metadata: metadata as unknown as JsonObject };
};

/**
 * What every cluster begins with. To make it takes hundreds of validated writes, so it is made once for a
 * server, and copied into each new cluster.
 */
export class ClusterTemplate {
  readonly #options: TemplateOptions;
  #originals: Promise<readonly Original[]> | undefined;

  constructor(options: TemplateOptions) {
    this.#options = options;
  }

  async copyTo({ store, cluster, clock }: Registry): Promise<void> {
    this.#originals ??= makeOriginals(this.#options);
    const originals = await this.#originals;
    const time = formatTime(clock.now());
    await Promise.all(
      originals.map(({ table, key, object }) =>
        store.write(cluster + table, key, (present) =>
          present === undefined ? { put: bornNow(object, clock, time) } : { keep: true },
        ),
      ),
    );
  }
}
