import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { ResourceKind, WrittenObjectOf } from '@perigee/api/meta/resource-kind';
import { nearNames } from '@perigee/api/values/near-names';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { ApiError, isAlreadyExists, isForbidden, isNotServed } from '@perigee/kube/errors';
import {
  keyOfOperation,
  nameFrom,
  type Operation,
  predecessorKeys,
  textOfKey,
} from '@perigee/scheduling/flows/operation';
import { operationProblems } from '@perigee/scheduling/flows/operation-problems';
import { datasetsOf } from '@perigee/scheduling/flows/written-data';
import { present } from '@perigee/schema/present';
import type { Problem } from '../errors.ts';
import type { FlowDescription } from './flow.ts';
import { kindNamed, type StepOperation } from './to-operations.ts';

/** A flow with the state of the server that it is validated against. */
export interface ValidatedFlow {
  readonly description: FlowDescription;
  readonly namespace: string;
  readonly operations: readonly StepOperation[];
  /** Existing operations of the namespace, except those that the flow replaces. */
  readonly present: readonly Operation[];
}

const producedBy = ({ spec }: Operation): readonly string[] =>
  'produces' in spec ? (spec.produces ?? []).flatMap(({ dataset }) => dataset?.name ?? []) : [];

/** Cycles, and predecessors that do not exist. */
const orderProblems = (flow: ValidatedFlow): readonly Problem[] => {
  const { operations, present, namespace } = flow;
  const all = [...present, ...operations.map(({ operation }) => operation)];
  const byKey = new Map(all.map((one) => [textOfKey(keyOfOperation(one)), one]));
  const find = (key: Parameters<typeof textOfKey>[0]) => byKey.get(textOfKey(key));
  return operations.flatMap(({ step, operation }): readonly Problem[] => [
    ...operationProblems(operation, undefined, find).map(
      ({ message }): Problem => ({ step, reason: 'Cycle', message: String(message) }),
    ),
    ...predecessorKeys(operation)
      // Operations in other namespaces were not read; the server authorises references to them.
      .filter((key) => key.namespace === namespace && find(key) === undefined)
      .map(
        (key): Problem => ({
          step,
          reason: 'BadReference',
          message: `runs after ${nameFrom(key, namespace)}, which does not exist`,
        }),
      ),
  ]);
};

/** Names for hints; none for users who may not list Datasets. */
const namesOfDatasets = async (client: Client, namespace: string): Promise<readonly string[]> => {
  try {
    return (await client.list(Dataset, { namespace })).items.map(({ metadata }) => metadata.name);
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
};

/** Datasets that neither exist nor are made by an earlier step. */
const dataProblems = async (client: Client, flow: ValidatedFlow): Promise<readonly Problem[]> => {
  const { description, namespace, operations } = flow;
  const ownDatasets = new Set([
    ...Object.keys(description.datasets),
    ...operations.flatMap(({ operation }) => producedBy(operation)),
  ]);
  const uses = operations.flatMap(({ step, operation }) =>
    datasetsOf(operation).map((name) => ({ step, name })),
  );
  const unsure = [...new Set(uses.map(({ name }) => name))].filter(
    (name) => !ownDatasets.has(name),
  );
  const missingNames = new Set<string>();
  for (const name of unsure) {
    const dataset = await getOrUndefined(client, Dataset, { namespace, name }).catch((error) => {
      // Users who may not read Datasets may still refer to them.
      if (isForbidden(error)) return 'unknown';
      throw error;
    });
    if (dataset === undefined) missingNames.add(name);
  }
  if (missingNames.size === 0) return [];
  const names = [...ownDatasets, ...(await namesOfDatasets(client, namespace))];
  return uses
    .filter(({ name }) => missingNames.has(name))
    .map(({ step, name }): Problem => {
      const near = nearNames(name, names);
      const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
      const message = `there is no Dataset ${name} in the namespace ${namespace}${hint}`;
      return { step, reason: 'DatasetNotFound', message };
    });
};

/** The server's objections to an object, by a dry-run create. */
const refusalOf = async (
  client: Client,
  kind: ResourceKind,
  object: object,
  step: string | undefined,
): Promise<readonly Problem[]> => {
  const of = present({ step });
  try {
    await client.create(kind, object as WrittenObjectOf<ResourceKind>, {
      dryRun: true,
      fieldValidation: 'Strict',
    });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isAlreadyExists(error)) return [];
    const reason = isForbidden(error) ? 'Forbidden' : isNotServed(error) ? 'NotServed' : 'Invalid';
    return [{ ...of, reason, message: error.message }];
  }
};

/** All problems of a flow that can be detected before it is submitted. */
export const validateFlow = async (
  client: Client,
  flow: ValidatedFlow,
): Promise<readonly Problem[]> => {
  const { description, namespace, operations } = flow;
  const refusals = await Promise.all([
    ...Object.entries(description.datasets).map(([name, spec]) =>
      refusalOf(client, Dataset, { metadata: { namespace, name }, spec }, undefined),
    ),
    ...operations.map(({ step, operation }) =>
      refusalOf(client, kindNamed(operation.kind), operation, step),
    ),
  ]);
  const problems = refusals.flat();
  const isRefused = new Set(problems.map(({ step }) => step));
  // The server refuses cycles too, if it knows the whole cycle: report each only once.
  const order = orderProblems(flow).filter(({ step }) => !isRefused.has(step));
  return [...order, ...(await dataProblems(client, flow)), ...problems];
};
