import type { BindingSnapshot, BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { present, unlessEmpty } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';

interface Dependant {
  readonly metadata: ObjectMeta;
  readonly spec: BindingSpec;
}

const byName = (a: BindingSnapshot, b: BindingSnapshot): number =>
  `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1;

/** References to the scheduled bindings that depend on a resource, sorted. */
export const snapshotsOf = (dependants: readonly Dependant[]): readonly BindingSnapshot[] =>
  dependants
    .filter(({ spec }) => (spec.clusters ?? []).length > 0)
    .map(({ metadata, spec }) => ({
      ...present({ namespace: metadata.namespace }),
      name: metadata.name,
      clusters: spec.clusters ?? [],
    }))
    .sort(byName);

/**
 * Merges the settings of all dependants: the stronger one wins, and `differ` reports a conflict.
 */
export const mergedSettings = (dependants: readonly Dependant[]) => {
  const conflict = new Set(dependants.map(({ spec }) => spec.conflictResolution));
  const preserve = new Set(dependants.map(({ spec }) => spec.preserveResourcesOnDeletion === true));
  return {
    conflictResolution: conflict.has('Overwrite') ? ('Overwrite' as const) : ('Abort' as const),
    preserveResourcesOnDeletion: preserve.has(true),
    differ: conflict.size > 1 || preserve.size > 1,
  };
};

/** The spec for the binding of a dependency; the same object if nothing changes. */
export const requiredSpec = (spec: BindingSpec, dependants: readonly Dependant[]): BindingSpec => {
  const { requiredBy: _, ...rest } = spec;
  const snapshots = snapshotsOf(dependants);
  const isIndependent = spec.placement !== undefined;
  const settings = mergedSettings(dependants);
  const next: BindingSpec = {
    ...rest,
    ...present({ requiredBy: unlessEmpty(snapshots) }),
    // If the resource has its own policy, that one decides these fields.
    ...(isIndependent || dependants.length === 0
      ? {}
      : {
          conflictResolution: settings.conflictResolution,
          preserveResourcesOnDeletion: settings.preserveResourcesOnDeletion,
        }),
  };
  return sameJson(next, spec) ? spec : next;
};
