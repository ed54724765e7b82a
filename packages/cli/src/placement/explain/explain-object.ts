import { allKinds } from '@perigee/api/kinds/all-kinds';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import { runtimeKinds } from '@perigee/api/kinds/flows/runtimes';
import { Job } from '@perigee/api/kinds/groups/job';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { WorkloadRebalancer } from '@perigee/api/kinds/placement/workload-rebalancer';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { explainByConditions } from '@perigee/scheduling/explain/objects/explain-by-conditions';
import { explainClaim, explainSource } from '@perigee/scheduling/explain/objects/explain-claim';
import { explainDataset } from '@perigee/scheduling/explain/objects/explain-dataset';
import { explainOperation } from '@perigee/scheduling/explain/objects/explain-operation';
import { explainPolicy } from '@perigee/scheduling/explain/objects/explain-policy';
import { explainQueue } from '@perigee/scheduling/explain/objects/explain-queue';
import {
  explainRebalancer,
  explainTrigger,
} from '@perigee/scheduling/explain/objects/explain-trigger';
import type { ObjectExplanation } from '@perigee/scheduling/explain/objects/object-explanation';
import { read } from '@perigee/scheduling/explain/snapshot';
import type { Flow } from '@perigee/scheduling/flows/flow-graph';
import type { Operation } from '@perigee/scheduling/flows/operation';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { isRunHere } from '@perigee/scheduling/placement/binding/run-here';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { readFlows } from '../../flows/read-flows.ts';
import type { FoundWork } from './find-work.ts';
import { readPolicyWorld } from './read-policy-world.ts';
import { reading } from './reading.ts';

/** Their objects are propagated, or stand for work; runtimes go to the Fluid of members. */
const WORK: ReadonlySet<unknown> = new Set([...BINDING_KINDS, ...runtimeKinds, Job, PodGroup]);

/** The kinds that configure work: that no policy propagates their objects is no error. */
const RULES: ReadonlySet<string> = new Set(
  allKinds.filter((kind) => !WORK.has(kind)).map((kind) => `${apiVersionOf(kind)}/${kind.kind}`),
);

/** A Dataset or an operation for the Fluid of members is propagated like work. */
const isRule = (object: KubeObject): boolean =>
  !object.apiVersion.startsWith('data.fluid.io/') || isRunHere(object);

const flowAround = async (client: Client, operation: Operation): Promise<Flow> => {
  const { kind, metadata } = operation;
  const { flows } = await readFlows(client, metadata.namespace);
  return flows.find(({ steps }) =>
    steps.some(({ key }) => key.kind === kind && key.name === metadata.name),
  ) as Flow;
};

const sourceOf = async (
  client: Client,
  { status }: DataSourceClaim,
): Promise<DataSource | undefined> => {
  const name = status?.boundDataSource;
  if (name === undefined) return undefined;
  return read(
    await reading('DataSources', getOrUndefined(client, DataSource, { name })),
    undefined,
  );
};

const explain = async (client: Client, object: KubeObject): Promise<ObjectExplanation> => {
  switch (object.kind) {
    case 'DataLoad':
    case 'DataMigrate':
    case 'DataBackup':
    case 'DataProcess': {
      const operation = object as Operation;
      return explainOperation(operation, await flowAround(client, operation));
    }
    case 'Dataset':
      return explainDataset(object as Dataset);
    case 'DataSourceClaim': {
      const claim = object as DataSourceClaim;
      return explainClaim(claim, await sourceOf(client, claim));
    }
    case 'DataSource':
      return explainSource(object as DataSource);
    case 'Queue':
      return explainQueue(object as Queue);
    case 'ScheduleTrigger':
      return explainTrigger(object as ScheduleTrigger);
    case 'WorkloadRebalancer':
      return explainRebalancer(object as WorkloadRebalancer);
    case 'PropagationPolicy':
    case 'ClusterPropagationPolicy': {
      const policy = object as AnyPolicy;
      return explainPolicy(policy, await readPolicyWorld(client, policy));
    }
    default:
      return explainByConditions(object);
  }
};

/** Explains an object that configures work; undefined if it is work, or does not exist. */
export const explainObject = async (
  client: Client,
  { kind, resource }: FoundWork,
): Promise<ObjectExplanation | undefined> => {
  if (kind === undefined || !RULES.has(`${resource.apiVersion}/${resource.kind}`)) return undefined;
  const { namespace, name } = resource;
  const object: KubeObject | undefined = await getOrUndefined(
    client,
    kind,
    namespace === undefined ? { name } : { namespace, name },
  );
  return object !== undefined && isRule(object) ? explain(client, object) : undefined;
};
