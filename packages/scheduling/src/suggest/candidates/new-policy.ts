import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { runsToCompletion } from '../../interpreter/completion-checks.ts';
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

/** The kinds whose replicas are divided; of Jobs, that is their parallelism. */
const isDivided = ({ apiVersion, kind, spec }: Template): boolean =>
  (isJsonObject(spec) && typeof spec.replicas === 'number') ||
  (apiVersion === 'batch/v1' && kind === 'Job');

/**
 * A placement for its replicas in as few clusters as possible. Other work that ends, or starts such work, goes to one
 * cluster, since it would do its task in each; the rest goes to all clusters.
 */
export const placementFor = (template: Template): JsonObject => {
  if (isDivided(template)) {
    const replicaDivisionPreference = 'Aggregated';
    return {
      replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference },
    };
  }
  return runsToCompletion(template) || template.kind === 'CronJob'
    ? { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }] }
    : {};
};

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
