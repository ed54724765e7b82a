import type { KubeObject, OwnerReference, WrittenMeta } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { isNotFound } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import { garbageCollector } from '../../src/cluster-controllers/garbage-collector/garbage-collector.ts';
import { serverResources } from '../../src/embedded/server-resources.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { widgets } from '../registry/registry-fixture.ts';

export const Widget: ResourceKind = widgets;

export const blocking = (owner: KubeObject): OwnerReference =>
  ownerReferenceTo(owner, { blockOwnerDeletion: true });

export interface WorldOptions {
  readonly store?: Store;
  readonly clock?: VirtualClock;
  readonly logger?: ReturnType<typeof createLogger>;
}

/** A cluster with a few namespaces on a virtual clock, without controllers. */
export const openWorld = async ({
  store = createMemoryStore(),
  clock = new VirtualClock(),
  logger = createLogger({ clock, level: 'error' }),
}: WorldOptions = {}) => {
  const resources = new ResourceCatalog([...serverResources(), widgets]);
  const registry: Registry = { store, clock, resources, cluster: 'root' };
  const client = createInProcessClient(registry);
  for (const name of ['default', 'a', 'b']) {
    if (store.get('root//namespaces', name) === undefined) {
      await client.create(Namespace, { metadata: { name } });
    }
  }
  const run = async (...controllers: ControllerDefinition[]) => {
    const manager = new Manager({ client, clock, logger, controllers });
    await manager.start();
    return manager;
  };
  const find = async (kind: ResourceKind, name: string, namespace?: string) => {
    try {
      return await client.get(kind, namespace === undefined ? { name } : { name, namespace });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  return { clock, registry, client, logger, run, find, settle: () => clock.advance(1_000) };
};

/** The same, with a garbage collector that runs, and ConfigMaps in the namespace `a` to play with. */
export const setUpCollector = async (options: WorldOptions = {}) => {
  const world = await openWorld(options);
  const { client, registry, logger, settle } = world;
  const manager = await world.run(garbageCollector(registry, logger));
  const add = (
    name: string,
    owners: readonly OwnerReference[] = [],
    more: WrittenMeta = {},
  ): Promise<KubeObject> =>
    client.create(ConfigMap, {
      metadata: { name, namespace: 'a', ownerReferences: owners, ...more },
    } satisfies WrittenObject);
  const end = (name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan') =>
    client.delete(ConfigMap, { name, namespace: 'a' }, { propagationPolicy });
  /** The ConfigMaps that are left, once all has come to rest, each with the names of its owners. */
  const left = async () => {
    await settle();
    const { items } = await client.list(ConfigMap);
    return items.map(({ metadata: { namespace, name, ownerReferences = [] } }) =>
      [
        namespace === 'a' ? name : `${namespace}/${name}`,
        ...ownerReferences.map((o) => o.name),
      ].join(' < '),
    );
  };
  const setFinalizers = (name: string, finalizers: readonly string[]) =>
    client.patch(
      ConfigMap,
      { name, namespace: 'a' },
      { type: 'merge', body: { metadata: { finalizers } } },
    );
  const warnings = async () => {
    await settle();
    const { items } = await client.list(Event);
    return items.map(({ reason, message, involvedObject: { namespace, name } }) => ({
      reason,
      message,
      about: namespace === undefined ? name : `${namespace}/${name}`,
    }));
  };
  return {
    ...world,
    add,
    end,
    left,
    warnings,
    setFinalizers,
    [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
  };
};
