import { InvalidObjectError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { boolean, int32, list, object, string, time } from '@perigee/schema/structural/builder';
import {
  check,
  immutable,
  optional,
  type StoredOf,
  withDefault,
} from '@perigee/schema/structural/schema';
import { replicas } from '../../fragments/fragments.ts';
import type { Normaliser } from '../../kind/define-kind.ts';
import { mapItems, mapObject, objectAt, without } from '../../kind/reshape.ts';
import { failover, normaliseFailover } from './failover.ts';
import { gracefulEvictionTasks } from './graceful-eviction-task.ts';
import { normalisePlacement, placement } from './placement.ts';
import { conflictResolution } from './propagation-spec.ts';
import { normalisePurgeMode } from './purge-mode.ts';
import { components, replicaRequirements } from './replica-requirements.ts';
import { bindingSuspension } from './suspension.ts';
import { targetClusters } from './target-cluster.ts';

const STAYS = 'a binding stays with its resource; create another binding instead';

/** Another version of the same API may take over; another group would be another resource. */
const SAME_GROUP =
  "self.contains('/') ? oldSelf.contains('/') && self.substring(0, self.indexOf('/')) == oldSelf.substring(0, oldSelf.indexOf('/')) : !oldSelf.contains('/')";

const boundResource = () =>
  object('The resource that is propagated.', {
    apiVersion: check(
      string('The API version of the resource; its group stays.', { maxLength: 317 }),
      { rule: SAME_GROUP, message: STAYS },
    ),
    kind: immutable(string('The kind of the resource; it stays.'), STAYS),
    namespace: optional(
      immutable(string('The namespace of the resource, if it has one; it stays.'), STAYS),
    ),
    name: immutable(string('The name of the resource; it stays.'), STAYS),
    uid: optional(string('The unique id of the resource.')),
    resourceVersion: optional(string('The version of the resource that was last seen.')),
  });

const requiredBy = () =>
  list(
    'The bindings of other work that depends on the resource; it goes wherever they go.',
    object('A binding that needs the resource.', {
      namespace: optional(
        string('The namespace of the binding; none means a ClusterResourceBinding.'),
      ),
      name: string('The name of the binding.'),
      clusters: optional(targetClusters('Where that binding is scheduled.')),
    }),
  );

/** The spec of both kinds of binding: what is wanted of one resource, and where it goes. */
export const bindingSpec = () =>
  object('What the policy wants for one resource, and what the scheduler decided.', {
    resource: boundResource(),
    propagateDeps: optional(boolean('As in the policy: what the resource depends on goes along.')),
    replicaRequirements: optional(replicaRequirements('What one replica needs of a cluster.')),
    replicas: optional(
      replicas('How many replicas the resource wants; left out for what has no replicas.'),
    ),
    components: optional(components('The parts of work made of several kinds of pods.')),
    clusters: optional(targetClusters('The scheduler’s decision: where the resource goes.')),
    placement: optional(
      placement('Where the resource may go. None for what only goes along with others.'),
    ),
    gracefulEvictionTasks: optional(
      gracefulEvictionTasks(
        'Copies on their way out: each stays in its old cluster until its replacement is healthy or its time is over.',
      ),
    ),
    requiredBy: optional(requiredBy()),
    schedulerName: optional(string('As in the policy: the scheduler that chooses the clusters.')),
    failover: optional(failover('As in the policy: how the resource moves away from trouble.')),
    conflictResolution: conflictResolution(),
    rescheduleTriggeredAt: optional(
      time(
        'When somebody last asked to schedule afresh. A time after status.lastScheduledTime makes the scheduler choose again as if nothing had been chosen before.',
      ),
    ),
    suspension: optional(bindingSuspension('What is held back for now.')),
    preserveResourcesOnDeletion: optional(
      boolean('True leaves the objects in the member clusters when the binding is deleted.'),
    ),
    schedulePriority: optional(
      object('The place of the binding in the queue.', {
        priority: withDefault(0, int32('The higher, the earlier it is scheduled.')),
      }),
    ),
    workloadAffinityGroups: optional(
      object('The groups that the placement’s workloadAffinity puts the resource in.', {
        affinityGroup: optional(
          string('The group to be with, as key=value. For resources with a namespace only.'),
        ),
        antiAffinityGroup: optional(
          string('The group to stay away from, as key=value. For resources with a namespace only.'),
        ),
      }),
    ),
  });

const liftTriggerTime = (spec: JsonObject, old: JsonObject | undefined): JsonObject => {
  const triggeredAt = objectAt(spec, 'placement')?.rescheduleTriggeredAt;
  if (triggeredAt === undefined) return spec;
  const present = spec.rescheduleTriggeredAt ?? triggeredAt;
  if (present !== triggeredAt && present !== old?.rescheduleTriggeredAt) {
    throw new InvalidObjectError([
      invalid(
        'spec.placement.rescheduleTriggeredAt',
        triggeredAt,
        'belongs in spec.rescheduleTriggeredAt, which is set to something else; keep one',
      ),
    ]);
  }
  const lifted = mapObject(spec, 'placement', (placement) =>
    without(placement, 'rescheduleTriggeredAt'),
  );
  return { ...lifted, rescheduleTriggeredAt: triggeredAt };
};

/** Fills in what a binding means when it leaves something out. */
export const normaliseBinding: Normaliser = (binding, old) => {
  const oldSpec = objectAt(old, 'spec');
  return mapObject(binding, 'spec', (spec) => {
    const lifted = liftTriggerTime(spec, oldSpec);
    const withPlacement = mapObject(lifted, 'placement', normalisePlacement);
    const leaving = mapItems(withPlacement, 'gracefulEvictionTasks', normalisePurgeMode);
    return normaliseFailover(leaving, oldSpec);
  });
};

export type BindingSpec = StoredOf<ReturnType<typeof bindingSpec>>;
export type BoundResource = StoredOf<ReturnType<typeof boundResource>>;
export type BindingSnapshot = StoredOf<ReturnType<typeof requiredBy>>[number];
