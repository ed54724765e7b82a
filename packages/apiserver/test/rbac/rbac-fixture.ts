import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type {
  Attributes,
  ResourceAttributes,
  UserInfo,
} from '@perigee/kubernetes/authorization/attributes';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import type { Subject } from '@perigee/kubernetes/rbac/role-binding';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { AccessControl } from '../../src/rbac/access-control.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { StoreOptions } from '../../src/store/store-options.ts';
import { Namespace } from '../registry/registry-fixture.ts';

/** An API with all built-in kinds, a few namespaces, and who decides about access to it. */
export const setUpRbac = async (options: StoreOptions = {}) => {
  const clock = new VirtualClock();
  const registry: Registry = {
    store: createMemoryStore(options),
    clock,
    resources: new ResourceCatalog(serverResources()),
    cluster: 'root',
  };
  const client = createInProcessClient(registry);
  for (const name of ['kube-system', 'a', 'b'])
    await client.create(Namespace, { metadata: { name } });
  return { clock, registry, client, access: new AccessControl(registry) };
};

export const aUser = (name: string, ...groups: readonly string[]): UserInfo => ({ name, groups });

/** A wish about a resource, of which only what matters is said. */
export const wish = (user: UserInfo, rest: Partial<ResourceAttributes>): Attributes => ({
  user,
  verb: 'get',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  name: '',
  namespace: '',
  ...rest,
});

export const toUser = (name: string): Subject => ({ kind: 'User', apiGroup: RBAC_GROUP, name });

export const clusterRole = (name: string) => ({ apiGroup: RBAC_GROUP, kind: 'ClusterRole', name });
export const role = (name: string) => ({ apiGroup: RBAC_GROUP, kind: 'Role', name });
