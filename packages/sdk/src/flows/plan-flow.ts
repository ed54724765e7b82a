import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import {
  FLOW,
  keyOfOperation,
  type Operation,
  textOfKey,
} from '@perigee/scheduling/flows/operation';
import { formatTime } from '@perigee/schema/values/time';
import type { ControlPlane } from '../connection.ts';
import type { FlowDescription } from './flow.ts';
import { FlowPlan, type PlannedStep } from './flow-plan.ts';
import { type PlannedWorld, planStep } from './plan-step.ts';
import { readPlanWorld } from './plan-world.ts';
import { toOperations } from './to-operations.ts';
import { validateFlow } from './validate-flow.ts';

const SECOND_MS = 1_000;

const newDataset = (namespace: string, name: string, spec: object, bornMs: number): Dataset =>
  ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'Dataset',
    metadata: { namespace, name, uid: `planned-${name}`, creationTimestamp: formatTime(bornMs) },
    spec,
  }) as unknown as Dataset;

/** The operation with the status that it will have once it is complete in these clusters. */
const completeOperation = (
  operation: Operation,
  clusters: readonly string[],
  atMs: number,
): Operation => {
  const time = formatTime(atMs);
  return {
    ...operation,
    metadata: {
      ...operation.metadata,
      uid: `planned-${operation.metadata.name}`,
      creationTimestamp: time,
    },
    status: {
      phase: 'Complete',
      duration: '',
      conditions: [],
      clusters: clusters.map((name) => ({
        name,
        phase: 'Complete' as const,
        startTime: time,
        completionTime: time,
      })),
    },
  } as Operation;
};

const producedBy = ({ spec }: Operation): readonly string[] =>
  'produces' in spec ? (spec.produces ?? []).flatMap(({ dataset }) => dataset?.name ?? []) : [];

/** Simulates the steps in order: each starts from the state that the steps before it leave. */
const planSteps = (description: FlowDescription, first: PlannedWorld): readonly PlannedStep[] => {
  const { namespace, nowMs } = first;
  const presentNames = new Set(first.datasets.map(({ metadata }) => metadata.name));
  const newDatasets = Object.entries(description.datasets).filter(
    ([name]) => !presentNames.has(name),
  );
  const steps = new Map(description.steps.map((step) => [step.name, step]));
  let world: PlannedWorld = {
    ...first,
    datasets: [
      ...first.datasets,
      ...newDatasets.map(([name, spec]) => newDataset(namespace, name, spec, nowMs)),
    ],
  };
  return toOperations(description, namespace).map(({ step, operation }, at) => {
    const placement = planStep(operation, world);
    const atMs = nowMs + (at + 1) * SECOND_MS;
    const there = new Set(world.datasets.map(({ metadata }) => metadata.name));
    const produced = producedBy(operation).filter((name) => !there.has(name));
    world = {
      ...world,
      operations: [...world.operations, completeOperation(operation, placement.clusters, atMs)],
      datasets: [
        ...world.datasets,
        ...produced.map((name) => newDataset(namespace, name, {}, atMs)),
      ],
    };
    const after = (steps.get(step)?.after ?? []).map((one) =>
      typeof one === 'string' ? one : 'step' in one ? one.step : `${one.kind}/${one.name}`,
    );
    const { kind, metadata } = operation;
    return { step, kind, name: metadata.name, after, ...placement };
  });
};

/** Predicts a flow from the current state of the control plane. Writes nothing. */
export const planFlow = async (
  description: FlowDescription,
  { connection }: ControlPlane,
): Promise<FlowPlan> => {
  const client = await connection.client();
  const namespace = description.namespace ?? (await connection.namespace());
  const world = await readPlanWorld(client, namespace, connection.clock.now());
  const operations = toOperations(description, namespace);
  const own = new Set(operations.map(({ operation }) => textOfKey(keyOfOperation(operation))));
  const present = world.operations.filter(
    (one) =>
      one.metadata.labels?.[FLOW] !== description.name && !own.has(textOfKey(keyOfOperation(one))),
  );
  const problems = await validateFlow(client, { description, namespace, operations, present });
  const steps = planSteps(description, { ...world, operations: present });
  return new FlowPlan({ flow: description.name, namespace, steps, problems });
};
