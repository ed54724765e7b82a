import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { isWaiting } from '@perigee/scheduling/placement/scheduler/standing';

const BY_SCHEDULER = 'by-scheduler';

const keysOf = (binding: Binding): readonly string[] => {
  const { placement, schedulerName = '' } = binding.spec;
  if (placement === undefined) return [];
  return isWaiting(binding) ? [schedulerName, `${schedulerName}?`] : [schedulerName];
};

/** Indexes bindings by their scheduler. */
export const schedulerIndex = (kind: BindingKind): CacheIndex => index(kind, BY_SCHEDULER, keysOf);

/** All bindings of a scheduler. */
export const bindingsWith = (
  cache: Caches,
  kind: BindingKind,
  scheduler: string,
): readonly Binding[] => cache(kind).byIndex(BY_SCHEDULER, scheduler);

/** The backlog of a scheduler. */
export const waitingWith = (cache: Caches, kind: BindingKind, scheduler: string): number =>
  cache(kind).byIndex(BY_SCHEDULER, `${scheduler}?`).length;
