import { untilChanged } from '@perigee/kube/client/until-changed';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { ignoreNotFound } from '@perigee/kube/errors';
import {
  CANCELLING,
  type FlowChange,
  retrying,
  stepsToChange,
} from '@perigee/scheduling/flows/flow-changes';
import type { Flow, FlowStep } from '@perigee/scheduling/flows/flow-graph';
import {
  type FlowReport,
  flowReport,
  isOver,
  type StepReport,
} from '@perigee/scheduling/flows/flow-report';
import type { Connection } from '../connection.ts';
import { FailedError, UsageError } from '../errors.ts';
import { FOREVER_MS, type WaitOptions } from '../resources/resources.ts';
import { readFlows, type Selection } from './read-flow.ts';
import { type LogLine, type LogOptions, logsOf } from './step-logs.ts';
import { kindNamed, operationName } from './to-operations.ts';

/** How a step is doing; `name` is the name of its operation, `step` the one that the flow gave it. */
export interface StepProgress extends StepReport {
  readonly step: string;
}

/** How a flow is doing. */
export interface FlowProgress extends Omit<FlowReport, 'steps'> {
  readonly steps: readonly StepProgress[];
  /** Whether nothing will happen by itself any more. */
  readonly isOver: boolean;
}

/** Between two looks, however much happens. */
const REST_MS = 100;

const stepName = (flow: string, operation: string): string =>
  operation.startsWith(`${flow}-`) ? operation.slice(flow.length + 1) : operation;

const progressOf = (flow: Flow): FlowProgress => {
  const report = flowReport(flow);
  const steps = report.steps.map((step) => ({ ...step, step: stepName(flow.name, step.name) }));
  return { ...report, steps, isOver: isOver(flow) };
};

const failureText = ({ name, steps }: FlowProgress): string => {
  const failed = steps.filter(({ phase }) => phase === 'Failed');
  const said = failed.map(({ step, reason = '', message = '' }) => `${step}: ${message || reason}`);
  return `the flow ${name} failed: ${said.join('; ')}`;
};

/** A flow that was submitted. Iterating it gives its state now, and each one that follows, until it is over. */
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

  /** How it is doing now. */
  async progress(): Promise<FlowProgress> {
    return progressOf((await this.#read()).flow);
  }

  [Symbol.asyncIterator](): AsyncIterator<FlowProgress> {
    return this.#follow();
  }

  /**
   * Waits until it is over.
   * @throws `FailedError` when a step failed; a `TimeoutError` when the time is up, and the flow goes on.
   */
  async wait({ timeoutMs = FOREVER_MS, signal }: WaitOptions = {}): Promise<FlowProgress> {
    using deadline = deadlineAfter(this.#connection.clock, timeoutMs, signal);
    let last = await this.progress();
    for await (const progress of this.#follow(deadline.signal)) last = progress;
    if (last.phase === 'Failed') throw new FailedError(failureText(last), last);
    return last;
  }

  /** Ends all steps that have not ended, or one of them; gives the names of those that it ends. */
  cancel(step?: S): Promise<readonly string[]> {
    return this.#change(CANCELLING, step);
  }

  /** Has the steps that failed tried again, or one of them; gives their names. What is complete stays so. */
  retry(step?: S): Promise<readonly string[]> {
    return this.#change(retrying(this.#connection.clock.uuid()), step);
  }

  /** What the pods of a step have printed, wherever they ran. */
  async *logs(step: S, options: LogOptions = {}): AsyncGenerator<LogLine> {
    const { flow } = await this.#read();
    const { operation } = this.#stepOf(flow, step);
    yield* logsOf(operation, this.#connection, options);
  }

  /** Deletes all of its steps, and what runs of them. */
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
    const ends = signal === undefined ? {} : { signal };
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
    const found = steps.find(({ key }) => names.includes(key.name));
    if (found !== undefined) return found;
    const those = steps.map(({ key }) => stepName(this.name, key.name)).join(', ');
    throw new UsageError(`the flow ${this.name} has no step ${step}; it has ${those}`);
  }

  async #change(change: FlowChange, step: string | undefined): Promise<readonly string[]> {
    const client = await this.#connection.client();
    const { flow } = await this.#read();
    const steps = step === undefined ? flow.steps : [this.#stepOf(flow, step)];
    const meant = stepsToChange(steps, change);
    for (const { key } of meant) {
      const { kind, namespace, name } = key;
      const patch = { type: 'merge', body: change.patch } as const;
      await client.patch(kindNamed(kind), { namespace, name }, patch);
    }
    return meant.map(({ key }) => stepName(this.name, key.name)).toReversed();
  }
}
