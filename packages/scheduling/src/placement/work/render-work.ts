import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { numberIn } from '../../interpreter/fields.ts';
import type { AppliedOverride, OverrideResult } from '../override/apply-policies.ts';
import { type DesiredWork, workFor } from './desired-work.ts';
import { isHeldBack } from './targets.ts';
import { type Words, wordsOf } from './words.ts';
import {
  APPLIED_CLUSTER_OVERRIDES,
  APPLIED_OVERRIDES,
  BINDING_ID,
  BINDING_NAME,
  BINDING_NAMESPACE,
  CLUSTER_BINDING_ID,
  CLUSTER_BINDING_NAME,
  CONFLICT_RESOLUTION,
  TEMPLATE_GENERATION,
} from './work-names.ts';

/** A binding of either scope. */
export interface RenderedBinding extends KubeObject {
  readonly spec: BindingSpec;
}

const identityOf = ({ metadata }: RenderedBinding): { labels: Words; annotations: Words } => {
  const { namespace, name, labels = {} } = metadata;
  const key = namespace === undefined ? CLUSTER_BINDING_ID : BINDING_ID;
  const id = labels[key];
  return {
    labels: id ? { [key]: id } : {},
    annotations:
      namespace === undefined
        ? { [CLUSTER_BINDING_NAME]: name }
        : { [BINDING_NAMESPACE]: namespace, [BINDING_NAME]: name },
  };
};

/**
 * Resolution of a conflict with an existing object in the member; the template's annotation
 * overrides the policy.
 */
const conflictOf = (object: JsonObject, { conflictResolution }: BindingSpec): string => {
  const own = wordsOf(object, 'annotations')[CONFLICT_RESOLUTION];
  if (own === 'overwrite' || own === 'abort') return own;
  return conflictResolution === 'Overwrite' ? 'overwrite' : 'abort';
};

const byName = (a: AppliedOverride, b: AppliedOverride): number =>
  a.policyName < b.policyName ? -1 : a.policyName > b.policyName ? 1 : 0;

/** All annotations of an object may have 262,144 bytes. */
const LONGEST_NOTE = 65_536;
const MOST_NAMES = 200;

/** The applied overrides as JSON; undefined for none. Of very long ones it has the names of the policies. */
const noteOf = (overrides: readonly AppliedOverride[]): string | undefined => {
  if (overrides.length === 0) return undefined;
  const inOrder = overrides.toSorted(byName);
  const note = JSON.stringify(inOrder);
  if (Buffer.byteLength(note) <= LONGEST_NOTE) return note;
  const names = new Set(inOrder.map(({ policyName }) => policyName));
  return JSON.stringify(
    [...names].slice(0, MOST_NAMES).map((policyName) => ({ policyName, overriders: {} })),
  );
};

/** Annotations that list the applied overrides. */
export const overrideNotes = ({ cluster, namespaced }: OverrideResult): Words =>
  present({
    [APPLIED_CLUSTER_OVERRIDES]: noteOf(cluster),
    [APPLIED_OVERRIDES]: noteOf(namespaced),
  });

/** The Work that delivers a binding's object, already overridden, to a cluster. */
export const renderWork = (
  binding: RenderedBinding,
  cluster: string,
  overrideResult: OverrideResult,
): DesiredWork => {
  const { spec } = binding;
  const { object } = overrideResult;
  const identity = identityOf(binding);
  const generation = numberIn(object, 'metadata', 'generation') ?? 0;
  const work = {
    labels: identity.labels,
    annotations: {
      ...identity.annotations,
      [CONFLICT_RESOLUTION]: conflictOf(object, spec),
      ...overrideNotes(overrideResult),
    },
    suspendDispatching: isHeldBack(spec, cluster),
    preserveResourcesOnDeletion: spec.preserveResourcesOnDeletion ?? false,
  };
  return workFor(cluster, object, work, {
    binding: binding.metadata.name,
    labels: identity.labels,
    annotations: {
      ...identity.annotations,
      ...present({ [TEMPLATE_GENERATION]: generation > 0 ? String(generation) : undefined }),
    },
  });
};
