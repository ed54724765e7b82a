import type { ServedResource } from '../resource/served-resource.ts';
import { CrdKeeper } from './crd-keeper.ts';
import { storedMetaOf } from './metadata.ts';
import { type Registry, tableOf } from './registry.ts';

/**
 * Follows the CustomResourceDefinitions in the store until the signal is aborted. What was accepted
 * before is served when this returns its promise, so that a restart leaves no gap.
 */
export const serveCrds = async (
  registry: Registry,
  crds: ServedResource,
  signal: AbortSignal,
): Promise<void> => {
  const { store } = registry;
  const table = tableOf(registry, crds);
  const keeper = new CrdKeeper(registry, crds);
  const { entries, revision } = store.range(table);
  using changes = store.watch(table, { since: revision });
  const stop = () => changes[Symbol.dispose]();
  signal.addEventListener('abort', stop, { once: true });
  for (const { object } of entries) keeper.serve(object);
  for (const { object } of entries) await keeper.settle(storedMetaOf(object).name, signal);
  for await (const batch of changes) {
    for (const event of batch) {
      if (event.type !== 'DELETED') {
        await keeper.settle(storedMetaOf(event.entry.object).name, signal);
        continue;
      }
      await keeper.forget(event.previous.object);
      // A name that was given back may be what another definition waits for.
      for (const { object } of store.range(table).entries) {
        await keeper.settle(storedMetaOf(object).name, signal);
      }
    }
  }
};
