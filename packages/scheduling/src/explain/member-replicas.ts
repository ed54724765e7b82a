import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { Work } from '@perigee/api/kinds/placement/work';
import { ParseError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { textIn } from '../interpreter/fields.ts';
import { createInterpreter, frameworkKinds, nativeKinds } from '../interpreter/known-kinds.ts';
import { isDivisible } from '../placement/scheduler/placement-request.ts';
import { presentTargets } from '../placement/work/targets.ts';
import { APPLIED_CLUSTER_OVERRIDES, APPLIED_OVERRIDES } from '../placement/work/work-names.ts';

const standardKinds = createInterpreter([...nativeKinds, ...frameworkKinds]);

/**
 * The replicas in the manifest of a Work that override policies changed; undefined for other Works, and for manifests
 * that no member takes.
 */
const overriddenReplicas = (work: Work | undefined): number | undefined => {
  const annotations = work?.metadata.annotations ?? {};
  const manifest = work?.spec.workload?.manifests?.[0] as JsonObject | undefined;
  const isOverridden = APPLIED_OVERRIDES in annotations || APPLIED_CLUSTER_OVERRIDES in annotations;
  if (!isOverridden || manifest === undefined) return undefined;
  const { demand } = standardKinds.of(textIn(manifest, 'apiVersion'), textIn(manifest, 'kind'));
  try {
    return demand?.(manifest).replicas;
  } catch (error) {
    // Nobody checks what overrides write before the member does.
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

/**
 * The desired replicas in a cluster: those of the binding, unless an override policy wrote another number into the Work.
 * Undefined for work that has no replicas.
 */
export const memberReplicas = (
  spec: BindingSpec,
  cluster: string,
  work: Work | undefined,
): number | undefined => {
  if (!isDivisible(spec)) return undefined;
  return (
    overriddenReplicas(work) ?? presentTargets(spec).find(({ name }) => name === cluster)?.replicas
  );
};
