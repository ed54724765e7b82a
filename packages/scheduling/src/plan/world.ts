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

/** A Namespace, as far as placement and queues care. */
export type PlanNamespace = {
  readonly metadata: Pick<ObjectMeta, 'name' | 'labels' | 'annotations'>;
};

/** A PriorityClass. */
export interface PlanPriorityClass {
  readonly metadata: Pick<ObjectMeta, 'name'>;
  readonly value: number;
  readonly globalDefault?: boolean | undefined;
}

/** All that decisions rest on, read at one moment. */
export interface World {
  /** When it was read, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly interpreter: Interpreter;
  /** Reads and writes the documents that overrides change within texts. Absent where overrides are not played. */
  readonly yaml?: YamlFormat;
  /** The schedulers that take work, beside the one that is built in. */
  readonly schedulers: readonly string[];
  readonly clusters: readonly MemberCluster[];
  /** By cluster, what was counted on its nodes and is not too old. */
  readonly spaces: ReadonlyMap<string, ClusterSpace>;
  readonly taintPolicies: readonly ClusterTaintPolicy[];
  readonly policies: readonly AnyPolicy[];
  readonly overrides: readonly OverridingPolicy[];
  /** At least those that the change is about: nobody else's have to be read. */
  readonly templates: readonly Template[];
  readonly bindings: readonly Binding[];
  readonly claims: readonly DataSourceClaim[];
  readonly sources: readonly DataSource[];
  readonly queues: readonly Queue[];
  readonly namespaces: readonly PlanNamespace[];
  readonly priorityClasses: readonly PlanPriorityClass[];
}

/** The kinds of objects of a world that can be put into it. */
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

/** One object that is there from now on, in place of an earlier one of its name. */
export type Put = {
  [Of in keyof WorldObjects]: {
    readonly kind: 'put';
    readonly of: Of;
    readonly object: WorldObjects[Of];
  };
}[keyof WorldObjects];

/** Something that happens. */
export type Change =
  | Put
  /** A cluster falls silent, and does not come back. */
  | { readonly kind: 'lose'; readonly cluster: string }
  /** A cluster is unregistered: it goes when its work has left. */
  | { readonly kind: 'drain'; readonly cluster: string }
  /** Somebody has work scheduled afresh. */
  | { readonly kind: 'trigger'; readonly spec: ScheduleTrigger['spec'] }
  /** Other work in a cluster ends, and leaves so much room as these pods take. */
  | { readonly kind: 'free'; readonly cluster: string; readonly pods: FreedPods }
  /** Nothing happens, and the queues look once more at all that is in line. */
  | { readonly kind: 'look' }
  /** Somebody lets a binding be scheduled whose scheduling a user had suspended. */
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

/** Tells templates apart. */
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
