import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { addFinalizer } from '@perigee/api/values/finalizers';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { BASE_PLACEMENT, basePlacementOf } from '../../data/data-marks.ts';
import { withoutPolicy } from '../policy/propagated-by.ts';
import { DEPENDENCIES } from './dependencies.ts';
import type { DesiredBinding } from './desired-binding.ts';
import { DEFAULT_SCHEDULER, distributedTo } from './distributed-to.ts';
import { TEMPLATE_DIGEST } from './template-digest.ts';

/** Fields that template and policy own: what they leave out is removed from the binding. */
const DECIDED = [
  'resource',
  'replicas',
  'replicaRequirements',
  'components',
  'propagateDeps',
  'schedulerName',
  'placement',
  'failover',
  'conflictResolution',
  'preserveResourcesOnDeletion',
  'schedulePriority',
  'workloadAffinityGroups',
] as const;

interface PresentBinding {
  readonly metadata: ObjectMeta;
  readonly spec: BindingSpec;
}

/** Other writers own `scheduling`; the policy owns dispatching. */
const suspensionAfter = (
  live: BindingSpec['suspension'],
  desired: BindingSpec['suspension'],
): BindingSpec['suspension'] => {
  const scheduling = live?.scheduling;
  const suspension = { ...desired, ...present({ scheduling }) };
  return Object.keys(suspension).length === 0 ? undefined : suspension;
};

/**
 * Ignores a mere change of the template's resourceVersion: each of its status updates would cause a
 * write.
 */
const isSame = (
  field: (typeof DECIDED)[number],
  live: unknown,
  desired: unknown,
  isNewTemplate: boolean,
): boolean => {
  if (field !== 'resource' || isNewTemplate) return sameJson(live, desired);
  const strip = (resource: unknown) => ({ ...(resource as object), resourceVersion: undefined });
  return sameJson(strip(live), strip(desired));
};

const put = (spec: BindingSpec, field: string, value: unknown): BindingSpec => {
  const otherFields = Object.entries(spec).filter(([key]) => key !== field);
  return Object.fromEntries(
    value === undefined ? otherFields : [...otherFields, [field, value]],
  ) as BindingSpec;
};

const specAfter = (
  live: BindingSpec,
  desired: DesiredBinding['spec'],
  isNewTemplate: boolean,
): BindingSpec => {
  const policySpec = DECIDED.filter(
    (field) => !isSame(field, live[field], desired[field], isNewTemplate),
  ).reduce((spec, field) => put(spec, field, desired[field]), live);
  const suspension = suspensionAfter(live.suspension, desired.suspension);
  return sameJson(suspension, live.suspension)
    ? policySpec
    : put(policySpec, 'suspension', suspension);
};

/** True if the binding's placement is the policy's, narrowed by data. */
const carriesDataWithin = ({ metadata }: PresentBinding, { spec }: DesiredBinding): boolean => {
  const base = basePlacementOf(metadata);
  return base !== undefined && sameJson(base, spec.placement);
};

/** Keeps labels and annotations of other writers. */
const metadataAfter = (live: PresentBinding, desired: DesiredBinding): ObjectMeta => {
  const { metadata } = live;
  const { labels, annotations, owner } = desired;
  const bare = withoutPolicy(metadata);
  const { [DEPENDENCIES]: _, [BASE_PLACEMENT]: base, ...others } = bare.annotations ?? {};
  // Without this annotation, the stored placement counts as the policy's.
  const isKept = base !== undefined && carriesDataWithin(live, desired);
  const presentAnnotations = isKept ? { ...others, [BASE_PLACEMENT]: base } : others;
  const next = {
    ...metadata,
    labels: { ...bare.labels, ...labels },
    annotations: { ...presentAnnotations, ...annotations },
    ownerReferences: [owner],
    finalizers: addFinalizer(metadata.finalizers, desired.finalizer),
  };
  return sameJson(next, metadata) ? metadata : next;
};

/** Keeps the scheduler that the distributor chose if the policy names none. */
const schedulerAfter = (
  { metadata, spec }: PresentBinding,
  desired: DesiredBinding['spec'],
): DesiredBinding['spec'] => {
  const { schedulerName } = spec;
  const isGiven = schedulerName !== undefined && distributedTo(metadata) === schedulerName;
  return isGiven && desired.schedulerName === DEFAULT_SCHEDULER
    ? { ...desired, schedulerName }
    : desired;
};

/** The binding to write; the same object if nothing changes. */
export const bindingAfter = <B extends PresentBinding>(live: B, desired: DesiredBinding): B => {
  const { annotations = {} } = live.metadata;
  // A new resourceVersion in the spec makes other controllers read the template again.
  const isNewTemplate = annotations[TEMPLATE_DIGEST] !== desired.annotations[TEMPLATE_DIGEST];
  const { placement } = live.spec;
  const desiredSpec = schedulerAfter(live, desired.spec);
  const within =
    placement !== undefined && carriesDataWithin(live, desired)
      ? { ...desiredSpec, placement }
      : desiredSpec;
  const spec = specAfter(live.spec, within, isNewTemplate);
  const metadata = metadataAfter(live, desired);
  return spec === live.spec && metadata === live.metadata ? live : { ...live, metadata, spec };
};
