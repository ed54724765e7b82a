import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { WrittenObjectOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { untilChanged } from '@perigee/kube/client/until-changed';
import { ignoreNotFound, isAlreadyExists, isForbidden } from '@perigee/kube/errors';
import {
  FLOW,
  keyOfOperation,
  type Operation,
  type OperationKind,
  statusOf,
  textOfKey,
} from '@perigee/scheduling/flows/operation';
import type { ControlPlane } from '../connection.ts';
import { FlowProblemsError } from '../errors.ts';
import type { FlowDescription } from './flow.ts';
import { FlowRun } from './flow-run.ts';
import { labelledAs, readOperations } from './read-flow.ts';
import { kindNamed, toOperations } from './to-operations.ts';
import { validateFlow } from './validate-flow.ts';

export interface RunOptions {
  /** Deletes an existing flow of that name first, including its pods. */
  readonly replace?: boolean;
}

type Written = WrittenObjectOf<OperationKind>;

const textOf = (operation: Operation): string => textOfKey(keyOfOperation(operation));

const remove = async (client: Client, { kind, metadata }: Operation): Promise<void> => {
  const { namespace = '', name } = metadata;
  await client.delete(kindNamed(kind), { namespace, name }).catch(ignoreNotFound);
};

/** Deletes operations from last to first, and waits until they are gone. */
const removeAll = async (
  client: Client,
  operations: readonly Operation[],
  namespace: string,
): Promise<void> => {
  for (const operation of operations.toReversed()) await remove(client, operation);
  const names = new Set(operations.map(textOf));
  for (;;) {
    const { operations: current, versions } = await readOperations(client, { namespace });
    if (!current.some((one) => names.has(textOf(one)))) return;
    await untilChanged(client, versions, { namespace });
  }
};

/** Creates all operations or none: if one is refused, those already created are deleted. */
const createAll = async (client: Client, operations: readonly Operation[]): Promise<void> => {
  const createdOperations: Operation[] = [];
  try {
    for (const operation of operations) {
      await client.create(kindNamed(operation.kind), operation as unknown as Written);
      createdOperations.push(operation);
    }
  } catch (error) {
    for (const operation of createdOperations.toReversed()) await remove(client, operation);
    throw error;
  }
};

/** Validates and submits a flow. */
export const submitFlow = async (
  description: FlowDescription,
  { connection }: ControlPlane,
  { replace = false }: RunOptions,
): Promise<FlowRun> => {
  const client = await connection.client();
  const namespace = description.namespace ?? (await connection.namespace());
  const { name, steps } = description;
  const operations = toOperations(description, namespace);
  const { operations: there } = await readOperations(client, { namespace }).catch((error) => {
    if (!isForbidden(error)) throw error;
    throw new FlowProblemsError(name, [{ reason: 'Forbidden', message: error.message }]);
  });
  const own = new Set(operations.map(({ operation }) => textOf(operation)));
  const old = there.filter((one) => own.has(textOf(one)) || one.metadata.labels?.[FLOW] === name);
  if (old.length > 0 && !replace) {
    const phases = [...new Set(old.map((one) => statusOf(one).phase || 'New'))].join(', ');
    const message = `it is there already (${phases}): run({ replace: true }) deletes it first, and flows.get('${name}') follows it`;
    throw new FlowProblemsError(name, [{ reason: 'Exists', message }]);
  }
  const oldOnes = new Set(old);
  const present = there.filter((one) => !oldOnes.has(one));
  const problems = await validateFlow(client, { description, namespace, operations, present });
  if (steps.length === 0)
    throw new FlowProblemsError(name, [{ reason: 'Invalid', message: 'it has no steps' }]);
  if (problems.length > 0) throw new FlowProblemsError(name, problems);
  if (old.length > 0) await removeAll(client, old, namespace);
  for (const [dataset, spec] of Object.entries(description.datasets)) {
    const object = { metadata: { namespace, name: dataset }, spec };
    await client.create(Dataset, object).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  await createAll(
    client,
    operations.map(({ operation }) => operation),
  );
  return new FlowRun(connection, name, { namespace, labelSelector: labelledAs(name) });
};
