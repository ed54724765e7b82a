import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { Flow, FlowStep } from '@perigee/scheduling/flows/flow-graph';
import {
  isTerminal,
  OPERATION_KINDS,
  policyOf,
  RETRY,
  statusOf,
} from '@perigee/scheduling/flows/operation';
import type { Command } from 'commander';
import { openConnection } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { findFlow, namedStep, readFlows } from './read-flows.ts';
import type { FlowOptions } from './run-flow-list.ts';

/** What is to become of steps, and of which. */
interface Change {
  readonly done: string;
  readonly concerns: (step: FlowStep) => boolean;
  readonly patch: object;
  /** Whether it begins at the end of the flow. */
  readonly fromEnd: boolean;
  /** Why there is nothing to do. */
  readonly nothing: string;
}

const isCancelled = ({ operation }: FlowStep): boolean => operation.spec.cancel === true;

const cancelling: Change = {
  done: 'cancelled',
  concerns: (step) =>
    !isCancelled(step) &&
    (!isTerminal(statusOf(step.operation)) || policyOf(step.operation) === 'Cron'),
  patch: { spec: { cancel: true } },
  // So that nothing starts whose turn comes because of what was changed before.
  fromEnd: true,
  nothing: 'nothing is left to cancel: every step has ended',
};

const retrying = (): Change => ({
  done: 'tried again',
  concerns: (step) => !isCancelled(step) && statusOf(step.operation).phase === 'Failed',
  patch: { metadata: { annotations: { [RETRY]: clock.uuid() } } },
  // What fails when its predecessor has failed must not see that one so again.
  fromEnd: false,
  nothing: 'nothing is left to try again: no step has failed, except those that were cancelled',
});

/** A target with a kind means that step alone. */
const stepsOf = (flow: Flow, target: string): readonly FlowStep[] => {
  const step = namedStep(target);
  return step === undefined
    ? flow.steps
    : flow.steps.filter(({ key }) => key.kind === step.kind && key.name === step.name);
};

const apply = async (
  client: Client,
  steps: readonly FlowStep[],
  { done, concerns, patch, fromEnd, nothing }: Change,
): Promise<void> => {
  const meant = steps.filter(concerns);
  if (meant.length === 0) throw new CommandError(EXIT.conflict, nothing);
  for (const { key } of fromEnd ? meant.toReversed() : meant) {
    const kind = OPERATION_KINDS.find((one) => one.kind === key.kind);
    if (kind === undefined) continue;
    const { namespace, name } = key;
    await client.patch(kind, { namespace, name }, { type: 'merge', body: patch });
    process.stdout.write(`${key.kind.toLowerCase()}.data.fluid.io/${name} ${done}\n`);
  }
};

const change = async (
  target: string,
  { namespace: wanted }: FlowOptions,
  command: Command,
  what: Change,
): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client } = connection;
  const namespace = wanted ?? connection.namespace;
  const { flows } = await readFlows(client, namespace);
  await apply(client, stepsOf(findFlow(flows, target, namespace), target), what);
};

/** Ends all steps of a flow that have not ended, or one of them. */
export const runFlowCancel = (
  target: string,
  options: FlowOptions,
  command: Command,
): Promise<void> => change(target, options, command, cancelling);

/** Has the failed steps of a flow tried again, or one of them. Those that wait for them follow. */
export const runFlowRetry = (
  target: string,
  options: FlowOptions,
  command: Command,
): Promise<void> => change(target, options, command, retrying());
