import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import type { Template } from '../../placement/binding/desired-binding.ts';
import { DEFAULT_SCHEDULER } from '../../placement/binding/distributed-to.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import { type Change, keyOf } from '../../plan/world.ts';

const DEFAULTS = {
  priority: 0,
  preemption: 'Never',
  conflictResolution: 'Abort',
  schedulerName: DEFAULT_SCHEDULER,
};

export type PolicyManifest = JsonObject & {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
};

/** The name of the work, numbered if a policy of that name exists. */
const freeName = ({ metadata: { namespace, name } }: Template, { policies }: PlanState): string => {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name}-${number}`;
    if (!policies.has(keyOf({ namespace, name: free }))) return free;
  }
};

/** A policy for one workload. */
export const newPolicy = (
  state: PlanState,
  template: Template,
  spec: JsonObject,
): PolicyManifest => {
  const { apiVersion, kind, metadata } = template;
  const name = freeName(template, state);
  return {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: metadata.namespace === undefined ? 'ClusterPropagationPolicy' : 'PropagationPolicy',
    metadata: metadata.namespace === undefined ? { name } : { name, namespace: metadata.namespace },
    spec: { resourceSelectors: [{ apiVersion, kind, name: metadata.name }], ...spec },
  };
};

/** A placement for its replicas in as few clusters as possible; work without replicas goes to all clusters. */
export const placementFor = ({ spec }: Template): JsonObject =>
  isJsonObject(spec) && typeof spec.replicas === 'number'
    ? {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Aggregated',
        },
      }
    : {};

/** The change that stores a policy, with the server's defaults. */
export const putPolicy = (manifest: PolicyManifest): Change => {
  const { metadata, spec } = manifest;
  const key = metadata.namespace === undefined ? 'clusterpropagationpolicy' : 'propagationpolicy';
  const object = {
    ...manifest,
    metadata: { ...metadata, labels: { [`${key}.karmada.io/permanent-id`]: 'suggested' } },
    spec: { ...DEFAULTS, ...spec },
  };
  return { kind: 'put', of: 'policy', object: object as never };
};
