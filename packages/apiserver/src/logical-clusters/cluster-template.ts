import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import { createInProcessClient } from '../client/in-process-client.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResourceCatalog } from '../registry/resource-catalog.ts';
import { serviceAllocation } from '../service-allocation/service-allocation.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { Change } from '../store/store.ts';

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

/** A snapshot of an original, without the metadata that each copy has of its own. */
interface Print {
  readonly table: string;
  readonly key: string;
  readonly object: JsonObject;
  readonly metadata: JsonObject;
  /** The whole as JSON, with marks where a copy has its uid and its revision. */
  readonly text: string;
}

const UID = '%uid%';
const REVISION = '%revision%';

const printOf = ({ table, key, object }: Original, time: string): Print => {
  const meta = storedMetaOf(object);
  const managedFields = (meta.managedFields ?? []).map((fields) => ({ ...fields, time }));
  const born = { ...meta, creationTimestamp: time, managedFields };
  const metadata = born as unknown as JsonObject;
  const markedMetadata = { ...metadata, uid: UID, resourceVersion: REVISION };
  return {
    table,
    key,
    object,
    metadata,
    text: JSON.stringify({ ...object, metadata: markedMetadata }),
  };
};

/** The same object with the metadata of a new one. */
const copyOf = ({ object, metadata, text }: Print, uid: string): Change => ({
  put: { ...object, metadata: { ...metadata, uid } },
  text: (revision) => text.replace(UID, uid).replace(REVISION, String(revision)),
});

/**
 * The initial objects of every cluster. They take hundreds of validated writes, so they are created once for a
 * server, and copied into each new cluster. Copies share all but their metadata.
 */
export class ClusterTemplate {
  readonly #options: TemplateOptions;
  #originals: Promise<readonly Original[]> | undefined;
  #prints: { readonly time: string; readonly all: readonly Print[] } | undefined;

  constructor(options: TemplateOptions) {
    this.#options = options;
  }

  async copyTo({ store, cluster, clock }: Registry): Promise<void> {
    this.#originals ??= makeOriginals(this.#options);
    const prints = this.#printsAt(await this.#originals, formatTime(clock.now()));
    await Promise.all(
      prints.map((print) =>
        store.write(cluster + print.table, print.key, (present) =>
          present === undefined ? copyOf(print, clock.uuid()) : { keep: true },
        ),
      ),
    );
  }

  /** Clusters that begin in the same second begin with the same. */
  #printsAt(originals: readonly Original[], time: string): readonly Print[] {
    if (this.#prints?.time !== time) {
      this.#prints = { time, all: originals.map((original) => printOf(original, time)) };
    }
    return this.#prints.all;
  }
}
