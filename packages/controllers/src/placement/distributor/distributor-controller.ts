import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { presentHomes } from '@perigee/scheduling/clusters/sharding/present-homes';
import { takesWork } from '@perigee/scheduling/clusters/sharding/takes-part';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { DEFAULT_SCHEDULER } from '@perigee/scheduling/placement/binding/distributed-to';
import { chooseScheduler } from '@perigee/scheduling/placement/distributor/choose-scheduler';
import {
  distributionStep,
  isEmptied,
  schedulerOf,
} from '@perigee/scheduling/placement/distributor/distribution-step';
import { isRefused, isUndecided } from '@perigee/scheduling/placement/distributor/refusals';
import { usableBy } from '@perigee/scheduling/placement/scheduler/cluster-change';
import { present } from '@perigee/schema/present';
import { KnownClusters } from '../scheduler/known-clusters.ts';
import { bindingsWith, schedulerIndex, waitingWith } from './bindings-with.ts';
import { give, handOver, noteRefusers } from './write-distribution.ts';

const homesOf = (schedulers: readonly Scheduler[]): ReadonlyMap<string, string> => {
  const entriesInUse = schedulers.flatMap(({ metadata, status }) =>
    (status?.clusters?.inUse ?? []).map((cluster) => [cluster, metadata.name] as const),
  );
  return new Map([...presentHomes(schedulers), ...entriesInUse]);
};

/**
 * The home of each cluster: the scheduler that uses it, else the one to which it is assigned. Computed once for each
 * state of the schedulers, not for each binding.
 */
class HomesInUse {
  #key = '';
  #homes: ReadonlyMap<string, string> = new Map();

  of(schedulers: readonly Scheduler[]): (cluster: string) => string | undefined {
    const key = schedulers
      .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
      .join();
    if (key !== this.#key) {
      this.#homes = homesOf(schedulers);
      this.#key = key;
    }
    return (cluster) => this.#homes.get(cluster);
  }
}

export interface DistributorOptions {
  /** Grace period in which a leaving scheduler may finish its backlog. */
  readonly drainMs?: number;
}

/** The bindings that a change of a scheduler concerns: its own, and those without a scheduler. */
const concernedBy =
  (kind: BindingKind) =>
  (scheduler: Scheduler, cache: Caches): readonly ObjectRef[] =>
    (takesWork(scheduler) ? [DEFAULT_SCHEDULER, ''] : [scheduler.metadata.name])
      .flatMap((name) => bindingsWith(cache, kind, name))
      .map(refOf);

/**
 * Assigns each binding to a scheduler, by the clusters that it may use and their room. It keeps it as long as
 * that scheduler is active and can place it. Without any Scheduler the built-in one places all bindings.
 */
export const distributorController = (
  kind: BindingKind,
  { drainMs = 30_000 }: DistributorOptions = {},
): ControllerDefinition => {
  const clusters = new KnownClusters();
  const homes = new HomesInUse();

  const choose = (binding: Binding, refusedBy: readonly string[], cache: Caches) => {
    const { metadata, spec } = binding;
    const schedulers = [...cache(Scheduler).list()].filter(takesWork);
    return chooseScheduler({
      id: metadata.uid,
      ...present({ placement: spec.placement }),
      clusters: clusters.all(cache).filter(usableBy(binding)),
      homeOf: homes.of(schedulers),
      schedulers: schedulers.map((scheduler) => scheduler.metadata.name),
      waitingWith: (name) => waitingWith(cache, kind, name),
      refusedBy,
    });
  };

  return defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'distributor' : 'cluster-distributor',
    for: kind,
    concurrency: 64,
    when: (now, before) =>
      now !== undefined &&
      (now.metadata.generation !== before?.metadata.generation ||
        isUndecided(now) !== (before !== undefined && isUndecided(before)) ||
        isRefused(now) !== (before !== undefined && isRefused(before))),
    watches: [
      watch(Scheduler, {
        map: concernedBy(kind),
        when: (now, before) =>
          now === undefined ||
          before === undefined ||
          takesWork(now) !== takesWork(before) ||
          isEmptied(now) !== isEmptied(before),
      }),
    ],
    reads: [MemberCluster],
    indexes: [schedulerIndex(kind)],
    async reconcile(ref, context) {
      const { cache, clock } = context;
      const binding = cache(kind).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined)
        return undefined;
      const scheduler = cache(Scheduler).get({ name: schedulerOf(binding) });
      const step = distributionStep({
        binding,
        ...present({ scheduler }),
        choose: (refusedBy) => choose(binding, refusedBy, cache),
        drainMs,
        nowMs: clock.now(),
      });
      switch (step.kind) {
        case 'wait':
          return { requeueAfterMs: step.forMs };
        case 'give':
          await give(kind, binding, step.to, context);
          break;
        case 'forget-refusals':
          await noteRefusers(kind, binding, [], context);
          break;
        case 'hand-over':
          await handOver(kind, binding, step, context);
          break;
      }
      return undefined;
    },
  });
};
