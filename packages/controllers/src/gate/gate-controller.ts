import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { claimData } from '@perigee/scheduling/data/claim-data';
import { carriedDataOf } from '@perigee/scheduling/data/data-marks';
import { type Admittance, gateStep } from '@perigee/scheduling/gate/gate-step';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { sameJson } from '@perigee/schema/same-json';
import { bindingIndexes, bindingsCarrying } from '../data/claimed-bindings.ts';
import { ClusterLocations, claimsBoundTo, dataIndexes, dataWorld } from '../data/data-indexes.ts';
import { writeStatus } from '../placement/scheduler/write-status.ts';

const FIELD_MANAGER = 'perigee-gate';

const carriersOf = (claims: readonly DataSourceClaim[], cache: Caches) =>
  claims.flatMap((claim) => bindingsCarrying(cache, claim)).map(refOf);

const admittedOf = (binding: ResourceBinding | undefined) => {
  const { status, reason } = findCondition(binding?.status?.conditions, 'Admitted') ?? {};
  return { status, reason };
};

/** Writes the condition Admitted of work, with an Event when it changes. */
const report = async (
  binding: ResourceBinding,
  { isAdmitted, message }: Admittance,
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const condition = isAdmitted
    ? ({ type: 'Admitted', status: 'True', reason: 'Admitted', message } as const)
    : ({ type: 'Admitted', status: 'False', reason: 'WaitingForData', message } as const);
  const before = findCondition(binding.status?.conditions, 'Admitted');
  const nowMs = clock.now();
  const next = (status: BindingStatus): BindingStatus => ({
    ...status,
    conditions: setCondition(status.conditions, condition, nowMs),
  });
  const writer = { client, options: { fieldManager: FIELD_MANAGER, signal }, note: () => {} };
  await writeStatus(ResourceBinding as BindingKind, binding, next, writer);
  // Queues may hold a lot of work, so their Events are written on the workload only.
  const isQueued = queuedWorkOf(binding.metadata) !== undefined;
  for (const subject of isQueued ? [binding.spec.resource] : [binding, binding.spec.resource]) {
    if (!isAdmitted && before?.message !== message) events.normal(subject, 'WorkHeld', message);
    if (isAdmitted && before?.status === 'False') events.normal(subject, 'WorkAdmitted', message);
  }
};

/**
 * Releases held work to the scheduler once its data is there, and reports why work waits. Work that is not held
 * and has no claim is not touched; scheduling that a user has suspended stays suspended.
 */
export const gateController = (): ControllerDefinition => {
  const locations = new ClusterLocations();
  return defineController({
    name: 'gate',
    for: ResourceBinding,
    when: (now, before) =>
      now !== undefined &&
      (before === undefined ||
        now.metadata.generation !== before.metadata.generation ||
        !sameJson(now.metadata.annotations, before.metadata.annotations) ||
        // A foreign scheduler writes all conditions as it last read them, which may revert this one.
        !sameJson(admittedOf(now), admittedOf(before))),
    concurrency: 64,
    watches: [
      watch(DataSourceClaim, { atStart: false, map: (claim, cache) => carriersOf([claim], cache) }),
      watch(DataSource, {
        atStart: false,
        when: (now, before) => now === undefined || before === undefined,
        map: ({ metadata }, cache) => carriersOf(claimsBoundTo(cache, metadata.name), cache),
      }),
    ],
    reads: [MemberCluster],
    indexes: [...dataIndexes, ...bindingIndexes],
    async reconcile(ref, context) {
      const { cache, client, signal } = context;
      const binding = cache(ResourceBinding).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) {
        return undefined;
      }
      const { namespace = '' } = binding.metadata;
      const world = dataWorld(cache, locations);
      const data = carriedDataOf(binding.metadata).flatMap(({ claim: name }) => {
        const claim = cache(DataSourceClaim).get({ namespace, name });
        return claim === undefined ? [] : [claimData(claim, world)];
      });
      const { patch, admittance } = gateStep(binding, data);
      const options = { fieldManager: FIELD_MANAGER, signal };
      const updatedBinding =
        patch === undefined
          ? binding
          : await client.patch(ResourceBinding, ref, { type: 'merge', body: patch }, options);
      if (admittance !== undefined) await report(updatedBinding, admittance, context);
      return undefined;
    },
  });
};
