import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { PropagationSpec } from '@perigee/api/kinds/placement/propagation-spec';
import type { Component } from '@perigee/api/kinds/placement/replica-requirements';
import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import { labelValue } from '@perigee/api/values/label-requirement';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { KindInterpreter } from '../../interpreter/interpreter.ts';
import type { Policy } from '../policy/choose-policy.ts';
import { withPolicy } from '../policy/propagated-by.ts';
import { writeDependencies } from './dependencies.ts';
import { TEMPLATE_DIGEST, templateDigest } from './template-digest.ts';

/** The object that is propagated. */
export type Template = KubeObject & JsonObject;

export interface PropagatingPolicy extends Policy {
  readonly spec: PropagationSpec;
}

/** The parts of a binding that template and policy own. */
export interface DesiredBinding {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
  readonly owner: OwnerReference;
  readonly finalizer: string;
  /**
   * Without fields of other writers: clusters, eviction tasks, `requiredBy` and
   * `rescheduleTriggeredAt`.
   */
  readonly spec: DesiredSpec;
}

type DesiredSpec = Omit<
  BindingSpec,
  'clusters' | 'gracefulEvictionTasks' | 'requiredBy' | 'rescheduleTriggeredAt'
>;

/** The affinity group of a template by its label, as `key=value`. */
const groupOf = (key: string | undefined, { metadata }: Template): string | undefined => {
  const value = key === undefined ? undefined : labelValue(metadata.labels ?? {}, key);
  return value === undefined ? undefined : `${key}=${value}`;
};

const groupsOf = (template: Template, { placement }: PropagationSpec) => {
  const { affinity, antiAffinity } = placement?.workloadAffinity ?? {};
  const affinityGroup = groupOf(affinity?.groupByLabelKey, template);
  const antiAffinityGroup = groupOf(antiAffinity?.groupByLabelKey, template);
  if (affinityGroup === undefined && antiAffinityGroup === undefined) return {};
  return {
    workloadAffinityGroups: {
      ...present({ affinityGroup, antiAffinityGroup }),
    },
  };
};

const LONGEST_NAME = 32;
const MOST_COMPONENTS = 100;

/** Components under names that a binding takes: short ones, each once. Tasks and groups may have longer ones. */
const withShortNames = (components: readonly Component[]): readonly Component[] => {
  // More are refused.
  if (components.length > MOST_COMPONENTS) return components;
  const takenNames = new Set<string>();
  return components.map((component, index) => {
    let { name } = component;
    for (let at = index; name.length > LONGEST_NAME || takenNames.has(name); at += 1) {
      const end = `-${at}`;
      name = component.name.slice(0, LONGEST_NAME - end.length) + end;
    }
    takenNames.add(name);
    return name === component.name ? component : { ...component, name };
  });
};

/** The replicas and requests of the workload, by its interpreter. */
const demandOf = (
  template: Template,
  interpreter: KindInterpreter,
): Pick<BindingSpec, 'replicas' | 'replicaRequirements' | 'components'> => {
  if (interpreter.components !== undefined) {
    const components = interpreter.components(template);
    if (components.length > 0) return { components: withShortNames(components) };
  }
  if (interpreter.demand === undefined) return {};
  const { replicas, requirements } = interpreter.demand(template);
  return { replicas, ...present({ replicaRequirements: requirements }) };
};

export interface BindingOptions {
  /** From `nameOfBinding`. */
  readonly bindingName: string;
  readonly schedulePriority?: number | undefined;
}

export const desiredBinding = (
  template: Template,
  policy: PropagatingPolicy,
  interpreter: KindInterpreter,
  { bindingName, schedulePriority }: BindingOptions,
): DesiredBinding => {
  const { apiVersion, kind, metadata } = template;
  const { namespace, name, uid, resourceVersion } = metadata;
  const { spec } = policy;
  const { labels = {}, annotations = {} } = withPolicy({}, policy);
  const dependencies =
    spec.propagateDeps === true ? (interpreter.dependencies?.(template) ?? []) : [];
  return {
    name: bindingName,
    ...present({ namespace }),
    labels,
    annotations: {
      ...annotations,
      ...writeDependencies(dependencies),
      [TEMPLATE_DIGEST]: templateDigest(template),
    },
    owner: ownerReferenceTo(template, { controller: true, blockOwnerDeletion: true }),
    finalizer:
      namespace === undefined
        ? 'karmada.io/cluster-resource-binding-controller'
        : 'karmada.io/binding-controller',
    spec: {
      resource: {
        apiVersion,
        kind,
        ...present({ namespace }),
        name,
        uid,
        resourceVersion,
      },
      ...demandOf(template, interpreter),
      ...groupsOf(template, spec),
      placement: spec.placement ?? {},
      schedulerName: spec.schedulerName,
      conflictResolution: spec.conflictResolution,
      ...present({
        propagateDeps: spec.propagateDeps,
        failover: spec.failover,
        suspension: spec.suspension,
        preserveResourcesOnDeletion: spec.preserveResourcesOnDeletion,
        schedulePriority:
          schedulePriority === undefined ? undefined : { priority: schedulePriority },
      }),
    },
  };
};
