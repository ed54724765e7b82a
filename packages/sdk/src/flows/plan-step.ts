import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { runsPods } from '@perigee/scheduling/clusters/inventory/runs-pods';
import { inAll } from '@perigee/scheduling/data/combine-placement';
import { basePlacementOf, carriedDataOf } from '@perigee/scheduling/data/data-marks';
import { locatedCluster } from '@perigee/scheduling/data/locality';
import { copiesOf } from '@perigee/scheduling/flows/dataset-copies';
import { datasetSourceName } from '@perigee/scheduling/flows/dataset-source';
import { followedNodes } from '@perigee/scheduling/flows/follow-nodes';
import { groundOf } from '@perigee/scheduling/flows/ground';
import {
  keyOfOperation,
  type Operation,
  type OperationKey,
  predecessorKeys,
  textOfKey,
} from '@perigee/scheduling/flows/operation';
import { placeOperation, type WaitingWork } from '@perigee/scheduling/flows/place-operation';
import { datasetsOf, hasOrigin, mountedDatasets } from '@perigee/scheduling/flows/written-data';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { policyFor } from '@perigee/scheduling/placement/policy/policy-for';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import type { PlannedStep } from './flow-plan.ts';
import type { PlanWorld } from './plan-world.ts';

type Placed = Pick<PlannedStep, 'clusters' | 'reason' | 'message'>;

/** The state after the steps before. */
export interface PlannedWorld extends PlanWorld {
  readonly operations: readonly Operation[];
  readonly datasets: readonly Dataset[];
}

const clustersWith = (name: string, world: PlannedWorld): readonly string[] => {
  const dataset = world.datasets.find(({ metadata }) => metadata.name === name);
  if (dataset === undefined) return [];
  const registered = new Set(world.clusters?.facts.map((cluster) => cluster.name));
  const { clusters } = copiesOf(dataset, world.operations, {
    isRegistered: (cluster) => registered.has(cluster),
    claimUid: () => undefined,
    ground: (claim) => {
      const holder = world.datasets.find(({ metadata }) => metadata.name === claim);
      return holder && groundOf(holder);
    },
  });
  return clusters.filter(({ state }) => state === 'Complete').map((copy) => copy.name);
};

const isAbout = (claim: DataSourceClaim, { metadata, spec }: ResourceBinding): boolean => {
  const { workload } = claim.spec;
  if (workload === undefined) return true;
  const carries = carriedDataOf(metadata).some((one) => one.claim === claim.metadata.name);
  const { kind, name } = spec.resource;
  return carries || (kind === workload.kind && name === workload.name);
};

/** Workloads of the namespace that wait for this Dataset by a claim. */
const waitingFor = (dataset: string, { namespace, claims, bindings }: PlanWorld) => {
  const names = [`${namespace}/${dataset}`, datasetSourceName({ namespace, name: dataset })];
  return claims
    .filter(({ spec }) => names.includes(spec.dataSourceName ?? ''))
    .flatMap((claim) =>
      bindings
        .filter((one) => (one.spec.clusters ?? []).length === 0 && isAbout(claim, one))
        .map(
          ({ metadata, spec }): WaitingWork => ({
            name: `${spec.resource.kind} ${spec.resource.name}`,
            placement: basePlacementOf(metadata) ?? spec.placement ?? {},
          }),
        ),
    );
};

/** The scheduler's decision for the Job of an operation. */
const decided = (operation: Operation, placement: Placement, world: PlanWorld) => {
  const { namespace, name } = operation.metadata;
  const spec = {
    resource: { apiVersion: 'batch/v1', kind: 'Job', namespace, name },
    replicas: 1,
    placement,
  } as BindingSpec;
  const clusters = world.clusters?.facts ?? [];
  return schedule(spec, {}, { clusters, rules: standardRules }).outcome;
};

/** The clusters of an operation and the reason, from the same functions that the controllers use. */
export const planStep = (operation: Operation, world: PlannedWorld): Placed => {
  if (world.clusters === undefined) {
    const message = 'you may not list clusters, so that nobody can say where it would run';
    return { clusters: [], reason: 'Unknown', message };
  }
  const { namespace, own, wide } = world;
  const byKey = new Map(world.operations.map((one) => [textOfKey(keyOfOperation(one)), one]));
  const find = (key: OperationKey) => byKey.get(textOfKey(key));
  const template = operation as unknown as Template;
  const policy = policyFor(template, {
    own: own.filter((one) => selects(one, operation)),
    wide: wide.filter((one) => selects(one, operation)),
    policyNamed: () => undefined,
  });
  const datasets = datasetsOf(operation);
  const datasetNamed = (name: string | undefined) =>
    world.datasets.find(({ metadata }) => metadata.name === name);
  const mounted = operation.kind === 'DataLoad' ? mountedDatasets(datasetNamed(datasets[0])) : [];
  const read = mounted.length === 0 ? datasets.slice(0, 1) : mounted;
  const ran = predecessorKeys(operation)
    .map((key) => (find(key)?.status?.clusters ?? []).map(({ name }) => name))
    .filter((names) => names.length > 0);
  const { placement, word } = placeOperation(operation, {
    policy: policy && { name: policy.metadata.name, placement: policy.spec.placement ?? {} },
    clusters: world.clusters.clusters.map((cluster) => ({
      ...locatedCluster(cluster),
      runs: runsPods(cluster, namespace),
    })),
    followed: followedNodes(operation, find).clusters,
    predecessors: inAll(ran),
    datasetClusters: inAll(read.map((name) => clustersWith(name, world))),
    originOf: read.find((name) => hasOrigin(datasetNamed(name))),
    copiesDatasets: mounted.length > 0,
    waitingWork: waitingFor(datasets.at(-1) ?? '', world),
  });
  const { reason, message } = word;
  if (word.status === 'False') return { clusters: [], reason, message };
  const outcome = decided(operation, placement, world);
  return outcome.kind === 'placed'
    ? { clusters: outcome.clusters.map(({ name }) => name), reason, message }
    : { clusters: [], reason: 'NoCluster', message: outcome.message };
};

const selects = (
  { spec }: PlanWorld['own'][number] | PlanWorld['wide'][number],
  { apiVersion, kind }: Operation,
): boolean =>
  spec.resourceSelectors.some((one) => one.apiVersion === apiVersion && one.kind === kind);
