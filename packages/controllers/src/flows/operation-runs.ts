import type { PropagationSpec } from '@perigee/api/kinds/placement/propagation-spec';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { isOwnedBy } from '@perigee/api/values/owner-references';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ApiError, ignoreNotFound, isAlreadyExists } from '@perigee/kube/errors';
import { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import { flowName } from '@perigee/scheduling/flows/flow-name';
import { followedNodes } from '@perigee/scheduling/flows/follow-nodes';
import { FLOW, type Operation, SIMULATE, statusOf } from '@perigee/scheduling/flows/operation';
import {
  isPlayedRun,
  OPERATION,
  operationLabel,
  runName,
  runObjects,
} from '@perigee/scheduling/flows/operation-run-objects';
import type { PlacedOperation } from '@perigee/scheduling/flows/place-operation';
import type { RenderedRun } from '@perigee/scheduling/flows/run-parts';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import {
  desiredBinding,
  type PropagatingPolicy,
  type Template,
} from '@perigee/scheduling/placement/binding/desired-binding';
import { nameOfBinding } from '@perigee/scheduling/placement/binding/name-of-binding';
import { withoutPolicy } from '@perigee/scheduling/placement/policy/propagated-by';
import { MANAGED_BY } from '@perigee/scheduling/placement/scheduler/standing';
import { sameJson } from '@perigee/schema/same-json';
import { RefusedRunError } from '../errors.ts';
import { keyOf } from '../placement/detector/template-key.ts';
import { writeBinding } from '../placement/detector/write-binding.ts';
import { bindingsOfOperation } from './operation-indexes.ts';
import { policyOfOperation } from './operation-placing.ts';
import { withoutBrought } from './run-dependencies.ts';

/** The scheduling priority of a policy; undefined when it sets none. */
const priorityOf = (cache: Caches, { schedulePriority }: PropagationSpec): number | undefined => {
  if (schedulePriority === undefined) return undefined;
  const { priorityClassName: name } = schedulePriority;
  const priorityClass = cache(PriorityClass).get({ name });
  if (priorityClass === undefined) {
    throw new Error(`there is no PriorityClass ${name}, which the policy's schedulePriority names`);
  }
  return priorityClass.value;
};

const FIELD_MANAGER = 'perigee-data-operations';

/** Maximum number of attempts to clean up: each attempt deletes the earlier ones, so that few remain. */
const MOST_ATTEMPTS = 10;

/** Status codes of permanent refusals: retries are pointless. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

export const attemptOf = (operation: Operation): number => statusOf(operation).attempts ?? 0;

/** The binding of the Job of the attempt that is under way. */
export const bindingOfRun = (
  { cache }: Pick<ReconcileContext, 'cache'>,
  operation: Operation,
): ResourceBinding | undefined => {
  const name = runName(operation, attemptOf(operation));
  return bindingsOfOperation(cache, operation).find(
    ({ spec: { resource } }) => resource.kind === 'Job' && resource.name === name,
  );
};

/** The flow that an operation belonged to when it was run. */
const flowOfRun = (context: ReconcileContext, operation: Operation): string | undefined =>
  bindingOfRun(context, operation)?.metadata.labels?.[FLOW];

/**
 * Creates an object that an operation owns, or returns the existing one, unless that is forged: anyone who may create
 * objects can foresee its name and name the operation as the owner.
 */
const ensureOwned = async <T extends KubeObject>(
  kind: ResourceKind<T>,
  object: object & { readonly metadata: { readonly namespace: string; readonly name: string } },
  operation: Operation,
  { client, signal }: ReconcileContext,
  isForged: (present: T) => boolean = () => false,
): Promise<T> => {
  const { namespace, name } = object.metadata;
  try {
    return await client.create(kind, object as never, { fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    if (error instanceof ApiError && REFUSALS.has(error.code)) {
      throw new RefusedRunError({ reason: 'JobRefused', message: error.message });
    }
    if (!isAlreadyExists(error)) throw error;
    const present = await getOrUndefined(client, kind, { namespace, name }, { signal });
    if (present === undefined || present.metadata.deletionTimestamp !== undefined) throw error;
    if (isOwnedBy(present, operation)) {
      if (!isForged(present)) return present;
      const { uid } = present.metadata;
      await client.delete(kind, { namespace, name }, { preconditions: { uid }, signal });
      // The next try creates it.
      throw error;
    }
    const message = `the ${kind.kind} ${name} is there already, and is not the operation's`;
    throw new RefusedRunError({ reason: 'NameTaken', message });
  }
};

/** The policy of an operation, or a synthetic one for the choice of Perigee, with the resulting placement. */
const policyBehind = (
  operation: Operation,
  placement: PlacedOperation['placement'],
  { cache }: ReconcileContext,
): PropagatingPolicy => {
  const policy =
    operation.spec.placement === undefined ? policyOfOperation(cache, operation) : undefined;
  const { preserveResourcesOnDeletion: _, ...policyFields } = policy?.spec ?? {};
  return {
    metadata: policy?.metadata ?? operation.metadata,
    spec: {
      resourceSelectors: [],
      priority: 0,
      preemption: 'Never',
      schedulerName: 'default-scheduler',
      conflictResolution: 'Abort',
      ...policyFields,
      placement,
      // The files of the operation go along, and what its pods name besides.
      propagateDeps: true,
    },
  };
};

const bindRun = async (
  job: Job,
  operation: Operation,
  { placement }: PlacedOperation,
  flow: string,
  interpreter: Interpreter,
  context: ReconcileContext,
): Promise<void> => {
  const { cache, client, signal } = context;
  const template = job as unknown as Template;
  const { namespace = '' } = job.metadata;
  const bindingOf = (name: string) => cache(ResourceBinding).get({ namespace, name });
  const bindingName = nameOfBinding(keyOf(template), bindingOf);
  const policy = policyBehind(operation, placement, context);
  const desired = desiredBinding(template, policy, interpreter.of('batch/v1', 'Job'), {
    bindingName,
    schedulePriority: priorityOf(cache, policy.spec),
  });
  // A policy has a say when the operation starts, and none about work that runs.
  const { labels, annotations } = withoutPolicy(desired);
  const marked = {
    ...desired,
    labels: {
      ...labels,
      [MANAGED_BY]: 'data-operations',
      [OPERATION]: operationLabel(operation),
      [FLOW]: flow,
    },
    annotations: {
      ...withoutBrought(annotations, operation, job),
      [OPERATION]: job.metadata.annotations?.[OPERATION] ?? '',
      // The annotation of the operation may change while its pods are played.
      [SIMULATE]: String(isPlayedRun(template)),
    },
  };
  const options = { fieldManager: FIELD_MANAGER, signal };
  const kind = ResourceBinding as BindingKind;
  try {
    await writeBinding(client, kind, bindingOf(bindingName) as never, marked, options);
  } catch (error) {
    // The cache does not show it yet.
    if (!isAlreadyExists(error)) throw error;
  }
};

export interface RunMaker {
  readonly interpreter: Interpreter;
  readonly render: (operation: Operation, name: string) => RenderedRun;
  readonly placing: () => PlacedOperation;
  readonly find: FindOperation;
}

/** Creates the Job of this attempt, and its binding to the clusters. A running one is not touched. */
export const ensureRun = async (
  operation: Operation,
  { interpreter, render, placing, find }: RunMaker,
  context: ReconcileContext,
): Promise<void> => {
  const present = bindingOfRun(context, operation);
  if (present !== undefined && (present.spec.clusters ?? []).length > 0) return;
  const attempt = attemptOf(operation);
  const run = render(operation, runName(operation, attempt));
  if (run.kind === 'refused') throw new RefusedRunError(run);
  const flow = flowName(operation, find, (one) => flowOfRun(context, one));
  const place = { flow, nodes: followedNodes(operation, find) };
  const { job, configMap } = runObjects(operation, attempt, run, place);
  if (configMap !== undefined) {
    // Orders and scripts run with the Secrets of the operation. Those of a Job that is there are kept.
    const isForged = ({ data = {} }: ConfigMap) =>
      present === undefined && !sameJson(data, configMap.data);
    await ensureOwned(ConfigMap, configMap, operation, context, isForged);
  }
  const createdJob = await ensureOwned(Job, job, operation, context);
  await bindRun(createdJob, operation, placing(), flow, interpreter, context);
};

/** Deletes the Jobs of an operation, in all clusters; of all attempts, or of all but the last. */
export const removeRuns = async (
  operation: Operation,
  which: 'all' | 'earlier',
  { cache, client, signal }: ReconcileContext,
): Promise<void> => {
  const attempt = attemptOf(operation);
  const namespace = operation.metadata.namespace ?? '';
  const names = new Set<string>();
  const last = which === 'earlier' ? attempt - 1 : attempt;
  for (let one = last; one > 0 && one > last - MOST_ATTEMPTS; one--) {
    names.add(runName(operation, one));
  }
  for (const { metadata, spec } of bindingsOfOperation(cache, operation)) {
    const { name, uid } = spec.resource;
    // A user who may write bindings must not gain the right to delete other objects.
    if (metadata.deletionTimestamp !== undefined || !names.has(name)) continue;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    const options = { ...preconditions, propagationPolicy: 'Background', signal } as const;
    await client.delete(Job, { namespace, name }, options).catch(ignoreNotFound);
    await client.delete(ConfigMap, { namespace, name }, { signal }).catch(ignoreNotFound);
  }
};
