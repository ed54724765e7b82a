import { bindingTroubles } from '@perigee/scheduling/explain/binding-troubles';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';
import type { DoubtfulWork } from './fleet-status.ts';

/** The clusters where a placed binding is unhealthy, of unknown health, or outdated; undefined if there are none. */
export const doubtfulWork = (binding: Binding): DoubtfulWork | undefined => {
  const troubles = bindingTroubles(binding);
  const [first] = troubles;
  if (first === undefined) return undefined;
  const { spec, status } = binding;
  const items = status?.aggregatedStatus ?? [];
  const { kind, namespace, name } = spec.resource;
  const clustersWith = (isSo: (item: (typeof items)[number]) => boolean) =>
    items.filter(isSo).map(({ clusterName }) => clusterName);
  return {
    kind,
    ...present({ namespace }),
    name,
    unknown: clustersWith(({ health }) => health === 'Unknown'),
    undelivered: clustersWith(({ applied }) => applied !== true),
    unhealthy: clustersWith(({ health }) => health === 'Unhealthy'),
    reason: first.reason,
    message: first.message,
    more: troubles.length - 1,
  };
};
