import type { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { PlanReason } from '@perigee/api/reasons/plan-reasons';
import { sameJson } from '@perigee/schema/same-json';
import type { Binding } from '../placement/binding/binding.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import { schedulerOf } from '../placement/distributor/distribution-step.ts';
import type { OverridingPolicy } from '../placement/override/apply-policies.ts';
import type { AnyPolicy } from '../placement/policy/policy-for.ts';
import { RecentDecisions } from '../placement/scheduler/recent-decisions.ts';
import { type Standing, standingOf } from '../placement/scheduler/standing.ts';
import type { HeldVerdict } from '../queues/verdict.ts';
import type { PlannedStep } from './planned-work.ts';
import { RoomLedger } from './room-ledger.ts';
import { Timeline } from './timeline.ts';
import {
  keyOf,
  keyOfTemplate,
  type PlanNamespace,
  type PlanPriorityClass,
  type World,
} from './world.ts';

/** Backlogs of the deciders. They run in this order until all are empty. */
export interface Due {
  readonly taints: Set<string>;
  readonly templates: Set<string>;
  readonly claims: Set<string>;
  readonly data: Set<string>;
  readonly gate: Set<string>;
  readonly schedule: Set<string>;
  readonly evict: Set<string>;
  readonly tasks: Set<string>;
  dispatch: boolean;
}

/** The binding that admission stores for a draft. */
export type Admit = (draft: Binding, before: Binding | undefined) => Binding;

/** Queues the next controllers of a binding after a write. */
export type OnWritten = (
  key: string,
  now: Binding | undefined,
  before: Binding | undefined,
) => void;

const byName = <
  T extends { readonly metadata: { readonly namespace?: string; readonly name: string } },
>(
  objects: readonly T[],
): Map<string, T> => new Map(objects.map((one) => [keyOf(one.metadata), one]));

const groupKeys = (
  namespace: string | undefined,
  { workloadAffinityGroups: groups }: BindingSpec,
): readonly string[] => [
  ...(groups?.affinityGroup ? [`+${namespace}/${groups.affinityGroup}`] : []),
  ...(groups?.antiAffinityGroup ? [`-${namespace}/${groups.antiAffinityGroup}`] : []),
];

/** The state of a plan: the objects as they change, and the backlogs. */
export class PlanState {
  readonly world: World;
  readonly startMs: number;
  /** The time of the latest changes. */
  turnMs: number;
  nowMs: number;
  /** Incremented when clusters, claims or sources change. */
  version = 0;
  /** Incremented when queues, namespaces or priority classes change. */
  queueVersion = 0;
  readonly timeline = new Timeline();
  readonly recent = new RecentDecisions();
  readonly room: RoomLedger;
  readonly clusters: Map<string, MemberCluster>;
  readonly taintPolicies: Map<string, ClusterTaintPolicy>;
  readonly policies: Map<string, AnyPolicy>;
  readonly overrides: Map<string, OverridingPolicy>;
  readonly templates: Map<string, Template>;
  readonly claims: Map<string, DataSourceClaim>;
  readonly sources: Map<string, DataSource>;
  readonly queues: Map<string, Queue>;
  readonly namespaces: Map<string, PlanNamespace>;
  readonly priorityClasses: Map<string, PlanPriorityClass>;
  readonly due: Due = {
    taints: new Set(),
    templates: new Set(),
    claims: new Set(),
    data: new Set(),
    gate: new Set(),
    schedule: new Set(),
    evict: new Set(),
    tasks: new Set(),
    dispatch: false,
  };
  /** Bindings that the change concerns. */
  readonly about = new Set<string>();
  /** The original versions of all bindings that were written or concerned. */
  readonly touchedBindings = new Map<string, Binding | undefined>();
  /** Templates that the change concerns; they are always reported. */
  readonly subjects = new Set<string>();
  /** Bindings that moved since the last reports of room. */
  readonly movedKeys = new Set<string>();
  readonly steps = new Map<string, PlannedStep[]>();
  /** Detector results for templates without a binding. */
  readonly unbound = new Map<string, PlannedStep>();
  /** The reasons of queued work. */
  readonly verdicts = new Map<string, HeldVerdict>();
  readonly notes = new Set<string>();
  admit: Admit = (draft) => draft;
  onWritten: OnWritten = () => {};
  readonly #bindings: Map<string, Binding>;
  readonly #standing: { readonly [standing in Standing]: Set<string> } = {
    waiting: new Set(),
    following: new Set(),
  };
  readonly #onCluster = new Map<string, Set<string>>();
  readonly #inGroup = new Map<string, Set<string>>();

  constructor(world: World) {
    this.world = world;
    this.startMs = world.nowMs;
    this.turnMs = world.nowMs;
    this.nowMs = world.nowMs;
    this.room = new RoomLedger(world.spaces);
    this.clusters = new Map(world.clusters.map((one) => [one.metadata.name, one]));
    for (const cluster of world.clusters) this.room.setCluster(cluster);
    this.taintPolicies = byName(world.taintPolicies);
    this.policies = byName(world.policies);
    this.overrides = byName(world.overrides);
    this.templates = new Map(world.templates.map((one) => [keyOfTemplate(one), one]));
    this.claims = byName(world.claims);
    this.sources = byName(world.sources);
    this.queues = byName(world.queues);
    this.namespaces = byName(world.namespaces);
    this.priorityClasses = byName(world.priorityClasses);
    this.#bindings = byName(world.bindings);
    for (const [key, binding] of this.#bindings) this.#enter(key, binding);
  }

  get bindings(): ReadonlyMap<string, Binding> {
    return this.#bindings;
  }

  /** The bindings in a cluster, by name: the order of their evictions. */
  on(cluster: string): readonly string[] {
    return [...(this.#onCluster.get(cluster) ?? [])].sort();
  }

  /** The bindings of the same group, including this one. */
  withGroupsOf({ metadata, spec }: Binding): readonly Binding[] {
    const keys = groupKeys(metadata.namespace, spec).flatMap((key) => [
      ...(this.#inGroup.get(key) ?? []),
    ]);
    return [...new Set(keys)].flatMap((key) => this.#bindings.get(key) ?? []);
  }

  standing(standing: Standing): readonly string[] {
    return [...this.#standing[standing]];
  }

  /** Records a step of a binding with its reason; repeated ones are dropped. */
  report(key: string, reason: PlanReason, message: string): void {
    const steps = this.steps.get(key) ?? [];
    const last = steps.at(-1);
    if (last?.reason === reason && last.message === message) return;
    steps.push({ afterSeconds: this.secondsPassed, reason, message });
    this.steps.set(key, steps);
  }

  get secondsPassed(): number {
    return Math.round((this.nowMs - this.startMs) / 1000);
  }

  /** Marks a binding as concerned; it is always reported. */
  concern(key: string): void {
    this.about.add(key);
    this.#touch(key);
  }

  #touch(key: string): void {
    if (!this.touchedBindings.has(key)) this.touchedBindings.set(key, this.#bindings.get(key));
  }

  /** Stores a binding with the patch of a writer; a new spec gets a new generation. */
  write(key: string, draft: Binding): void {
    const before = this.#bindings.get(key);
    const next = this.admit(draft, before);
    if (next === before) return;
    this.#touch(key);
    const isNewSpec = before === undefined || !sameJson(before.spec, next.spec);
    const generation = (before?.metadata.generation ?? 0) + (isNewSpec ? 1 : 0);
    this.#put(key, { ...next, metadata: { ...next.metadata, generation } } as Binding);
    if (isNewSpec) this.due.schedule.add(key);
    const isMoved =
      !sameJson(before?.spec.clusters, next.spec.clusters) ||
      !sameJson(before?.spec.gracefulEvictionTasks, next.spec.gracefulEvictionTasks) ||
      before?.spec.replicaRequirements !== next.spec.replicaRequirements;
    if (isMoved) this.movedKeys.add(key);
    this.due.gate.add(key);
    this.due.evict.add(key);
    this.due.tasks.add(key);
    this.onWritten(key, this.#bindings.get(key), before);
  }

  writeStatus(key: string, status: BindingStatus): void {
    const before = this.#bindings.get(key);
    if (before === undefined) return;
    this.#put(key, { ...before, status } as Binding);
    this.onWritten(key, this.#bindings.get(key), before);
  }

  #put(key: string, binding: Binding): void {
    const before = this.#bindings.get(key);
    if (before !== undefined) this.#leave(key, before);
    this.#bindings.set(key, binding);
    this.#enter(key, binding);
  }

  #enter(key: string, binding: Binding): void {
    for (const standing of standingOf(binding, schedulerOf(binding))) {
      this.#standing[standing].add(key);
    }
    for (const { name } of binding.spec.clusters ?? []) {
      const there = this.#onCluster.get(name) ?? new Set();
      this.#onCluster.set(name, there.add(key));
    }
    for (const group of groupKeys(binding.metadata.namespace, binding.spec)) {
      const members = this.#inGroup.get(group) ?? new Set();
      this.#inGroup.set(group, members.add(key));
    }
  }

  #leave(key: string, { metadata, spec }: Binding): void {
    this.#standing.waiting.delete(key);
    this.#standing.following.delete(key);
    for (const { name } of spec.clusters ?? []) this.#onCluster.get(name)?.delete(key);
    for (const group of groupKeys(metadata.namespace, spec)) this.#inGroup.get(group)?.delete(key);
  }
}
