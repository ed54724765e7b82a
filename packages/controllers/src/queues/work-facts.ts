import { createHash } from 'node:crypto';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import type { WorkFacts } from '@perigee/scheduling/queues/dispatch-state';
import { ancestorsOf } from '@perigee/scheduling/queues/queue-family';
import type { MarkedWork } from '@perigee/scheduling/queues/queue-marks';
import { mayUse } from '@perigee/scheduling/queues/queue-rights';
import { queueFamily } from './dispatch-indexes.ts';

/** The kinds that `workFacts` reads. */
export const FACT_KINDS = [Queue, Namespace, PriorityClass, MemberCluster] as const;

/** A class that does not exist counts as none. */
const priorityOf = (
  { priorityClassName }: MarkedWork,
  { spec }: ResourceBinding,
  cache: Caches,
): number => {
  const named =
    priorityClassName === undefined
      ? undefined
      : cache(PriorityClass).get({ name: priorityClassName });
  const fallback = () =>
    cache(PriorityClass)
      .list()
      .find(({ globalDefault }) => globalDefault);
  return named?.value ?? spec.schedulePriority?.priority ?? fallback()?.value ?? 0;
};

const isAllowed = ({ queue: name }: MarkedWork, namespace: string, cache: Caches): boolean => {
  const family = queueFamily(cache);
  const queue = family.get(name);
  if (queue === undefined) return true;
  const labels = cache(Namespace).get({ name: namespace })?.metadata.labels ?? {};
  return [queue, ...ancestorsOf(queue, family)].every((one) => mayUse(one, labels));
};

/** The same for work that fits in the same places. */
const shapeOf = ({ spec }: ResourceBinding, { requests }: MarkedWork): string => {
  const { placement, replicas, replicaRequirements, components, resource } = spec;
  const { apiVersion, kind } = resource;
  const text = JSON.stringify([
    placement,
    replicas,
    replicaRequirements,
    components,
    requests,
    apiVersion,
    kind,
  ]);
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
};

/** What decides about work in a queue beside its binding. */
export const workFacts = (
  binding: ResourceBinding,
  work: MarkedWork,
  cache: Caches,
  copiesOf: (binding: ResourceBinding, shape: string) => number,
): WorkFacts => {
  const shape = shapeOf(binding, work);
  return {
    priority: priorityOf(work, binding, cache),
    isAllowed: isAllowed(work, binding.metadata.namespace ?? '', cache),
    copies: copiesOf(binding, shape),
    shape,
  };
};
