import { untilChanged } from '@perigee/kube/client/until-changed';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { ignoreNotFound } from '@perigee/kube/errors';
import {
  CANCELLING,
  type FlowChange,
  retryChange,
  stepsToChange,
} from '@perigee/scheduling/flows/flow-changes';
import type { Flow, FlowStep } from '@perigee/scheduling/flows/flow-graph';
import {
  type FlowReport,
  flowReport,
  isOver,
  type StepReport,
} from '@perigee/scheduling/flows/flow-report';
import { present } from '@perigee/schema/present';
import type { Connection } from '../connection.ts';
import { FailedError, UsageError } from '../errors.ts';
import { FOREVER_MS, type WaitOptions } from '../resources/resources.ts';
import { readFlows, type Selection } from './read-flow.ts';
import { type LogLine, type LogOptions, logsOf } from './step-logs.ts';
import { kindNamed, operationName } from './to-operations.ts';

/** The progress of a step; `name` is the name of its operation, `step` its name in the flow. */
export interface StepProgress extends StepReport {
  readonly step: string;
}

export interface FlowProgress extends Omit<FlowReport, 'steps'> {
  readonly steps: readonly StepProgress[];
  /** True once no step will change by itself any more. */
  readonly isOver: boolean;
}

/** Minimum interval between two reads, however many events arrive. */
const REST_MS = 100;

const stepName = (flow: string, operation: string): string =>
  operation.startsWith(`${flow}-`) ? operation.slice(flow.length + 1) : operation;

const progressOf = (flow: Flow): FlowProgress => {
  const report = flowReport(flow);
  const steps = report.steps.map((step) => ({ ...step, step: stepName(flow.name, step.name) }));
  return { ...report, steps, isOver: isOver(flow) };
};

const failureText = ({ name, steps }: FlowProgress): string => {
  const failures = steps.filter(({ phase }) => phase === 'Failed');
  const descriptions = failures.map(
    ({ step, reason = '', message = '' }) => `${step}: ${message || reason}`,
  );
  return `the flow ${name} failed: ${descriptions.join('; ')}`;
};

/** A submitted flow. Iterating it yields its current state and every later one, until it is over. */
export class FlowRun<S extends string = string> implements AsyncIterable<FlowProgress> {
  readonly name: string;
  readonly namespace: string;
  readonly #connection: Connection;
  readonly #selection: Selection;

  constructor(
    connection: Connection,
    name: string,
    selection: Selection & { readonly namespace: string },
  ) {
    this.#connection = connection;
    this.#selection = selection;
    this.name = name;
    this.namespace = selection.namespace;
  }

  async progress(): Promise<FlowProgress> {
    return progressOf((await this.#read()).flow);
  }

  [Symbol.asyncIterator](): AsyncIterator<FlowProgress> {
    return this.#follow();
  }

  /**
   * Waits until the flow is over.
   * @throws `FailedError` when a step failed; a `TimeoutError` when the time is up, while the flow goes on.
   */
  async wait({ timeoutMs = FOREVER_MS, signal }: WaitOptions = {}): Promise<FlowProgress> {
    using deadline = deadlineAfter(this.#connection.clock, timeoutMs, signal);
    let last = await this.progress();
    for await (const progress of this.#follow(deadline.signal)) last = progress;
    if (last.phase === 'Failed') throw new FailedError(failureText(last), last);
    return last;
  }

  /** Cancels all steps that have not ended, or one of them; returns the names of the cancelled ones. */
  cancel(step?: S): Promise<readonly string[]> {
    return this.#change(CANCELLING, step);
  }

  /** Retries the steps that failed, or one of them; returns their names. Complete steps are not repeated. */
  retry(step?: S): Promise<readonly string[]> {
    return this.#change(retryChange(this.#connection.clock.uuid()), step);
  }

  /** The logs of a step's pods, in all clusters where they ran. */
  async *logs(step: S, options: LogOptions = {}): AsyncGenerator<LogLine> {
    const { flow } = await this.#read();
    const { operation } = this.#stepOf(flow, step);
    yield* logsOf(operation, this.#connection, options);
  }

  /** Deletes all of its steps and their pods. */
  async delete(): Promise<void> {
    const client = await this.#connection.client();
    const { flow } = await this.#read();
    for (const { key } of flow.steps.toReversed()) {
      const { kind, namespace, name } = key;
      await client.delete(kindNamed(kind), { namespace, name }).catch(ignoreNotFound);
    }
  }

  async *#follow(signal?: AbortSignal): AsyncGenerator<FlowProgress> {
    const client = await this.#connection.client();
    const ends = present({ signal });
    let before = '';
    for (;;) {
      signal?.throwIfAborted();
      const { flow, versions } = await this.#read();
      const progress = progressOf(flow);
      const text = JSON.stringify(progress);
      if (text !== before) yield progress;
      before = text;
      if (progress.isOver) return;
      await untilChanged(client, versions, { ...this.#selection, ...ends });
      await this.#connection.clock.sleep(REST_MS, signal);
    }
  }

  async #read() {
    const client = await this.#connection.client();
    const { flows, versions } = await readFlows(client, this.#selection);
    const flow = flows.find(({ name }) => name === this.name);
    if (flow === undefined) {
      throw new UsageError(`there is no flow ${this.name} in the namespace ${this.namespace}`);
    }
    return { flow, versions };
  }

  #stepOf({ steps }: Flow, step: string): FlowStep {
    const names = [operationName(this.name, step), step];
    const matchingStep = steps.find(({ key }) => names.includes(key.name));
    if (matchingStep !== undefined) return matchingStep;
    const those = steps.map(({ key }) => stepName(this.name, key.name)).join(', ');
    throw new UsageError(`the flow ${this.name} has no step ${step}; it has ${those}`);
  }

  async #change(change: FlowChange, step: string | undefined): Promise<readonly string[]> {
    const client = await this.#connection.client();
    const { flow } = await this.#read();
    const steps = step === undefined ? flow.steps : [this.#stepOf(flow, step)];
    const selectedSteps = stepsToChange(steps, change);
    for (const { key } of selectedSteps) {
      const { kind, namespace, name } = key;
      const patch = { type: 'merge', body: change.patch } as const;
      await client.patch(kindNamed(kind), { namespace, name }, patch);
    }
    return selectedSteps.map(({ key }) => stepName(this.name, key.name)).toReversed();
  }
}
