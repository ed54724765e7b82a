import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { sameJson } from '@perigee/schema/same-json';
import { findSource } from '../data/choose-source.ts';
import { claimData, type DataWorld } from '../data/claim-data.ts';
import { claimStatus } from '../data/claim-status.ts';
import { type ClaimFinder, claimKey } from '../data/concerned-work.ts';
import { offeredKeys } from '../data/data-keys.ts';
import { carriedDataOf } from '../data/data-marks.ts';
import { type LocatedClusters, locatedCluster } from '../data/locality.ts';
import { inItsQueue, withClaimedData } from '../gate/admit-binding.ts';
import { gateStep } from '../gate/gate-step.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { DEFAULT_QUEUE } from '../queues/queue-names.ts';
import { applyPatch } from './merge.ts';
import type { PlanState } from './plan-state.ts';
import { keyOf, templateKey } from './world.ts';

/** Claims and data of a state; the indexes are valid until clusters, claims or sources change. */
export class KnownData {
  readonly #state: PlanState;
  #version = -1;
  #claims = new Map<string, readonly DataSourceClaim[]>();
  #sources = new Map<string, readonly DataSource[]>();
  #locations: LocatedClusters = new Map();

  constructor(state: PlanState) {
    this.#state = state;
  }

  get finder(): ClaimFinder {
    this.#refresh();
    return {
      byKey: (key) => this.#claims.get(key) ?? [],
      byName: (namespace, name) => this.#state.claims.get(keyOf({ namespace, name })),
    };
  }

  get world(): DataWorld {
    return {
      source: (name) => this.#state.sources.get(keyOf({ name })),
      clusters: () => this.clusters,
    };
  }

  get clusters(): LocatedClusters {
    this.#refresh();
    return this.#locations;
  }

  /** The sources under one of `offeredKeys`. */
  sourcesOffering(key: string): readonly DataSource[] {
    this.#refresh();
    return this.#sources.get(key) ?? [];
  }

  #refresh(): void {
    const { version, claims, sources, clusters } = this.#state;
    if (this.#version === version) return;
    this.#version = version;
    this.#claims = Map.groupBy(claims.values(), claimKey);
    this.#locations = new Map(
      [...clusters].map(([name, cluster]) => [name, locatedCluster(cluster)]),
    );
    const offers = [...sources.values()].flatMap((source) =>
      offeredKeys(source).map((key) => ({ key, source })),
    );
    this.#sources = new Map(
      [...Map.groupBy(offers, ({ key }) => key)].map(([key, all]) => [
        key,
        all.map(({ source }) => source),
      ]),
    );
  }
}

/** Stores bindings as the admission does: with the data of their claims, and held for their queue. */
export const admission = (state: PlanState, dataIndex: KnownData) => {
  const templateOf = ({ apiVersion, kind, namespace, name }: BoundResource) =>
    state.templates.get(templateKey({ apiVersion, kind, namespace, name }));
  return (draft: Binding, before: Binding | undefined): Binding => {
    if (draft.metadata.namespace === undefined) return draft;
    const bindingWithData = withClaimedData(draft, before, {
      claims: dataIndex.finder,
      world: dataIndex.world,
      labelsOf: (resource) => {
        const template = templateOf(resource);
        return template && (template.metadata.labels ?? {});
      },
    });
    return inItsQueue(bindingWithData, before, {
      isInUse: () => state.queues.has(keyOf({ name: DEFAULT_QUEUE })),
      templateOf,
      annotationsOf: (name) => state.namespaces.get(keyOf({ name }))?.metadata.annotations ?? {},
      queueAll: false,
      nowMs: state.nowMs,
    });
  };
};

/** Binds a claim to its data. */
export const claimStep = (state: PlanState, key: string, dataIndex: KnownData): void => {
  const claim = state.claims.get(key);
  if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
  const choice = findSource(claim, (key) => dataIndex.sourcesOffering(key), dataIndex.clusters);
  const status = claimStatus(claim, choice, state.nowMs);
  const before = claim.status?.boundDataSource;
  if (sameJson(status as never, (claim.status ?? {}) as never)) return;
  state.claims.set(key, { ...claim, status });
  state.version += 1;
  if (status.boundDataSource === before) return;
  for (const [binding, { metadata }] of state.bindings) {
    if (metadata.namespace === claim.metadata.namespace) state.due.data.add(binding);
  }
};

/** Stores a binding anew, to update the data that it carries. */
export const dataStep = (state: PlanState, key: string): void => {
  const binding = state.bindings.get(key);
  if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) return;
  state.write(key, binding);
  state.due.gate.add(key);
};

/** Releases a binding whose data is in place, or records the reason for its wait. */
export const gateStepOf = (state: PlanState, key: string, dataIndex: KnownData): void => {
  const binding = state.bindings.get(key);
  if (binding?.metadata.namespace === undefined) return;
  const { namespace } = binding.metadata;
  const data = carriedDataOf(binding.metadata).flatMap(({ claim: name }) => {
    const claim = state.claims.get(keyOf({ namespace, name }));
    return claim === undefined ? [] : [claimData(claim, dataIndex.world)];
  });
  const { patch, admittance } = gateStep(binding as ResourceBinding, data);
  if (patch !== undefined) state.write(key, applyPatch(binding, patch));
  if (admittance?.isAdmitted === false) state.report(key, 'WaitingForData', admittance.message);
};
