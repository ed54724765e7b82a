import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { DoubtfulWork } from './fleet-status.ts';

const LOST = 'nothing is heard of the cluster';

/** Where a placed binding is not known to be well, or is behind; nothing when it is neither. */
export const doubtfulWork = ({ spec, status }: Binding): DoubtfulWork | undefined => {
  const items = status?.aggregatedStatus ?? [];
  const unknown = items.filter(({ health }) => health === 'Unknown');
  const undelivered = items.filter(({ applied }) => applied !== true);
  const [first] = [...undelivered, ...unknown];
  if (first === undefined) return undefined;
  const { kind, namespace, name } = spec.resource;
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    unknown: unknown.map(({ clusterName }) => clusterName),
    undelivered: undelivered.map(({ clusterName }) => clusterName),
    message: `${first.clusterName}: ${first.appliedMessage ?? (first.applied ? LOST : 'on its way')}`,
  };
};
