import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import type { ManagerOptions } from '@perigee/kube/manager/manager-options';
import { createLogger } from '@perigee/kube/observe/logger';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { MemoryClient } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';

export const LEASE = { namespace: 'perigee', name: 'controllers' };

type Given = Pick<ManagerOptions, 'controllers'> & Partial<ManagerOptions>;

/** A cluster in memory, and managers that run against it. */
export const setUpManager = (seed = 1) => {
  const clock = new VirtualClock({ seed });
  const cluster = new MemoryCluster({
    clock,
    kinds: [ConfigMap, Namespace, Lease, Event],
    withoutStatus: [ConfigMap, Lease, Event],
  });
  const admin = new MemoryClient(cluster);
  const log: string[] = [];
  const logger = createLogger({ clock, write: (line) => log.push(line) });
  const manage = (
    options: Given,
    process: { client: Client; clock: Clock } = { client: admin, clock },
  ) => new Manager({ identity: 'p', logger, ...process, ...options });
  const create = (name: string) =>
    admin.create(ConfigMap, { metadata: { namespace: 'default', name } });
  return { clock, cluster, admin, log, manage, create };
};
