import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { Troubles } from '@perigee/kube/controller/troubles';
import { InformerSet } from '@perigee/kube/informer/informer-set';
import { createLogger } from '@perigee/kube/observe/logger';
import { Metrics } from '@perigee/kube/observe/metrics';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { type ControllerEnvironment, runController } from '../../src/controller/run-controller.ts';
import { MemoryClient, type MemoryFaults } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';

/** A cluster in memory, and what it takes to run a controller against it. */
export const setUpController = (faults: MemoryFaults = {}) => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [ConfigMap, Namespace] });
  const client = new MemoryClient(cluster, faults);
  const admin = new MemoryClient(cluster);
  const informers = new InformerSet({ client, clock });
  const metrics = new Metrics();
  const log: string[] = [];
  const logger = createLogger({ clock, level: 'debug', write: (line) => log.push(line) });
  const told: string[] = [];
  const events: ControllerEnvironment['events'] = {
    normal() {},
    warning(subject, reason, message) {
      const { name } = 'metadata' in subject ? subject.metadata : subject;
      told.push(`${name} ${reason} ${message}`);
    },
  };
  const troubles = new Troubles(clock);
  const stop = new AbortController();
  const abort = new AbortController();
  const run = (definition: ControllerDefinition): Promise<void> =>
    runController(
      definition,
      { client, informers, clock, logger, metrics, events, troubles },
      { stop: stop.signal, abort: abort.signal },
    );
  /** Creates a ConfigMap in the namespace `default`. */
  const create = (name: string, data: ConfigMap['data'] = {}) =>
    admin.create(ConfigMap, { metadata: { namespace: 'default', name }, data });
  const update = (name: string, data: ConfigMap['data']) =>
    admin.patch(ConfigMap, { namespace: 'default', name }, { type: 'merge', body: { data } });
  const metric = (line: string): number => {
    const found = metrics
      .expose()
      .split('\n')
      .find((text) => text.startsWith(`${line} `));
    return Number(found?.split(' ').at(-1));
  };
  return {
    clock,
    cluster,
    admin,
    informers,
    log,
    told,
    troubles,
    stop,
    abort,
    run,
    create,
    update,
    metric,
  };
};
