import type { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { KubeObject, ObjectMeta } from '@perigee/api/meta/object-meta';
import type { Interpreter } from '../interpreter/interpreter.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import type { YamlFormat } from '../placement/override/apply-overriders.ts';
import type { OverridingPolicy } from '../placement/override/apply-policies.ts';
import type { AnyPolicy } from '../placement/policy/policy-for.ts';
import type { ClusterSpace } from '../placement/scheduler/estimate/exact-room.ts';

/** The fields of a Namespace that placement and queues read. */
export type PlanNamespace = {
  readonly metadata: Pick<ObjectMeta, 'name' | 'labels' | 'annotations'>;
};

/** A PriorityClass. */
export interface PlanPriorityClass {
  readonly metadata: Pick<ObjectMeta, 'name'>;
  readonly value: number;
  readonly globalDefault?: boolean | undefined;
}

/** The inputs of all decisions, read at one moment. */
export interface World {
  /** The time of the reads, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly interpreter: Interpreter;
  /** The YAML format for overrides within texts. Absent if overrides are not played. */
  readonly yaml?: YamlFormat;
  /** The schedulers that are available, beside the built-in one. */
  readonly schedulers: readonly string[];
  readonly clusters: readonly MemberCluster[];
  /** By cluster, the fresh counts of its nodes. */
  readonly spaces: ReadonlyMap<string, ClusterSpace>;
  readonly taintPolicies: readonly ClusterTaintPolicy[];
  readonly policies: readonly AnyPolicy[];
  readonly overrides: readonly OverridingPolicy[];
  /** At least those that the change concerns; others are optional. */
  readonly templates: readonly Template[];
  readonly bindings: readonly Binding[];
  readonly claims: readonly DataSourceClaim[];
  readonly sources: readonly DataSource[];
  readonly queues: readonly Queue[];
  readonly namespaces: readonly PlanNamespace[];
  readonly priorityClasses: readonly PlanPriorityClass[];
}

/** The kinds whose objects a change may put. */
export interface WorldObjects {
  readonly cluster: MemberCluster;
  readonly taintPolicy: ClusterTaintPolicy;
  readonly policy: AnyPolicy;
  readonly override: OverridingPolicy;
  readonly template: Template;
  readonly claim: DataSourceClaim;
  readonly source: DataSource;
  readonly queue: Queue;
  readonly namespace: PlanNamespace;
  readonly priorityClass: PlanPriorityClass;
}

/** An object to create or replace. */
export type Put = {
  [Of in keyof WorldObjects]: {
    readonly kind: 'put';
    readonly of: Of;
    readonly object: WorldObjects[Of];
  };
}[keyof WorldObjects];

/** A change to play. */
export type Change =
  | Put
  /** A cluster falls silent for good. */
  | { readonly kind: 'lose'; readonly cluster: string }
  /** A cluster is unregistered: it is drained first. */
  | { readonly kind: 'drain'; readonly cluster: string }
  /** A user triggers work. */
  | { readonly kind: 'trigger'; readonly spec: ScheduleTrigger['spec'] }
  /** Other work in a cluster ends, and frees the room of these pods. */
  | { readonly kind: 'free'; readonly cluster: string; readonly pods: FreedPods }
  /** No change; the queues are evaluated once more. */
  | { readonly kind: 'look' }
  /** A user resumes the scheduling of a suspended binding. */
  | { readonly kind: 'resume'; readonly binding: string };

export interface FreedPods {
  readonly replicas: number;
  readonly requests: { readonly [resource: string]: string };
}

export const keyOf = ({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}) => `${namespace ?? ''}/${name}`;

/** The key of a template. */
export const templateKey = ({
  apiVersion,
  kind,
  namespace,
  name,
}: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}): string => `${apiVersion} ${kind} ${namespace ?? ''}/${name}`;

export const keyOfTemplate = ({ apiVersion, kind, metadata }: KubeObject): string =>
  templateKey({ apiVersion, kind, namespace: metadata.namespace, name: metadata.name });
