import type { Metrics } from '@perigee/kube/observe/metrics';
import { type Registry, tableOf } from '../registry/registry.ts';

const RESIDENT = { name: 'process_resident_memory_bytes', help: 'Memory in use.' };
const CPU = { name: 'process_cpu_seconds_total', help: 'Time that the processor worked for this.' };
const OBJECTS = {
  name: 'apiserver_storage_objects',
  help: 'Objects that are stored, by resource.',
  labels: ['resource'],
} as const;

const MICROS = 1e6;

/** Resources with an object count, by registry of metrics; withdrawn ones are removed. */
const exposedResources = new WeakMap<Metrics, ReadonlySet<string>>();
/** The processor time that was added last; a counter can only grow. */
const reportedCpu = new WeakMap<Metrics, number>();

const countObjects = (metrics: Metrics, registry: Registry): void => {
  const family = metrics.gauge(OBJECTS);
  const present = new Set<string>();
  for (const resource of registry.resources.values()) {
    const { group, plural } = resource.storage;
    const name = group === '' ? plural : `${plural}.${group}`;
    if (present.has(name)) continue;
    present.add(name);
    family.with({ resource: name }).set(registry.store.count(tableOf(registry, resource)));
  }
  for (const name of exposedResources.get(metrics) ?? []) {
    if (!present.has(name)) family.remove({ resource: name });
  }
  exposedResources.set(metrics, present);
};

const measureProcess = (metrics: Metrics): void => {
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / MICROS;
  metrics
    .counter(CPU)
    .with()
    .increment(cpu - (reportedCpu.get(metrics) ?? 0));
  reportedCpu.set(metrics, cpu);
  metrics.gauge(RESIDENT).with().set(process.memoryUsage.rss());
};

/** Everything that was measured, with what is cheaper to compute now than to count. */
export const exposeMetrics = (metrics: Metrics, registry: Registry): string => {
  countObjects(metrics, registry);
  measureProcess(metrics);
  return metrics.expose();
};
