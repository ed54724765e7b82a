import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import {
  CANCELLING,
  type FlowChange,
  retryChange,
  stepsToChange,
} from '@perigee/scheduling/flows/flow-changes';
import type { Flow, FlowStep } from '@perigee/scheduling/flows/flow-graph';
import { OPERATION_KINDS } from '@perigee/scheduling/flows/operation';
import type { Command } from 'commander';
import { openConnection } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { findFlow, namedStep, readFlows } from './read-flows.ts';
import type { FlowOptions } from './run-flow-list.ts';

/** A target with a kind is one step; a target without is the whole flow. */
const stepsOf = (flow: Flow, target: string): readonly FlowStep[] => {
  const step = namedStep(target);
  return step === undefined
    ? flow.steps
    : flow.steps.filter(({ key }) => key.kind === step.kind && key.name === step.name);
};

const apply = async (
  client: Client,
  steps: readonly FlowStep[],
  what: FlowChange,
): Promise<void> => {
  const { done, patch, nothing } = what;
  const selectedSteps = stepsToChange(steps, what);
  if (selectedSteps.length === 0) throw new CommandError(EXIT.conflict, nothing);
  for (const { key } of selectedSteps) {
    const kind = OPERATION_KINDS.find((one) => one.kind === key.kind);
    if (kind === undefined) continue;
    const { namespace, name } = key;
    await client.patch(kind, { namespace, name }, { type: 'merge', body: patch });
    process.stdout.write(`${key.kind.toLowerCase()}.data.fluid.io/${name} ${done}\n`);
  }
};

const change = async (
  target: string,
  { namespace: namespaceOption }: FlowOptions,
  command: Command,
  what: FlowChange,
): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client } = connection;
  const namespace = namespaceOption ?? connection.namespace;
  const { flows } = await readFlows(client, namespace);
  await apply(client, stepsOf(findFlow(flows, target, namespace), target), what);
};

/** Cancels all steps of a flow that have not ended, or one of them. */
export const runFlowCancel = (
  target: string,
  options: FlowOptions,
  command: Command,
): Promise<void> => change(target, options, command, CANCELLING);

/** Retries the failed steps of a flow, or one of them. Steps that wait for them follow. */
export const runFlowRetry = (
  target: string,
  options: FlowOptions,
  command: Command,
): Promise<void> => change(target, options, command, retryChange(clock.uuid()));
