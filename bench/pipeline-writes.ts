import type { Store, TableEvent } from '@perigee/apiserver/store/store';
import type { Perigee } from '@perigee/host/start-perigee';

const managersOf = (object: TableEvent & { readonly type: 'ADDED' | 'MODIFIED' }): string => {
  type Managed = { readonly manager?: string; readonly time?: string };
  const { managedFields = [] } = object.entry.object.metadata as {
    readonly managedFields?: readonly Managed[];
  };
  const newest = managedFields.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];
  return newest?.manager ?? 'nobody';
};

/** Counts all writes of a control plane and its members, by writer and kind. */
export class Writes {
  readonly counts = new Map<string, number>();
  total = 0;

  async follow(store: Store, signal: AbortSignal): Promise<void> {
    using watch = store.watchAll();
    signal.addEventListener('abort', () => watch[Symbol.dispose](), { once: true });
    for await (const events of watch) {
      for (const event of events) this.#count(event);
    }
  }

  #count(event: TableEvent): void {
    this.total += 1;
    const [cluster, , kind] = event.table.split('/');
    const by = event.type === 'DELETED' ? 'deleted' : managersOf(event);
    const key = `${cluster === 'root' ? 'control plane' : 'member'} ${kind} by ${by}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

/** Of the control plane first, then of each member. */
export const storesOf = ({ server, members }: Perigee): readonly Store[] => {
  const registries = [
    server.registry,
    ...members.map(({ metadata }) => server.cluster(metadata.name)?.registry),
  ];
  return registries.flatMap((registry) => registry?.store ?? []);
};
