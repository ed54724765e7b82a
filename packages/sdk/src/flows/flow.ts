import type { DatasetWritten } from '@perigee/api/kinds/flows/dataset';
import type { OperationKindName } from '@perigee/scheduling/flows/operation';
import { type ControlPlane, currentControlPlane } from '../connection.ts';
import { UsageError } from '../errors.ts';
import type { StepFunction } from '../functions/step-function.ts';
import type { FlowPlan } from './flow-plan.ts';
import type { FlowRun } from './flow-run.ts';
import { planFlow } from './plan-flow.ts';
import { functionStep, processStep } from './process-step.ts';
import type {
  BackupStep,
  FunctionOptions,
  LoadStep,
  MigrateStep,
  Named,
  Predecessor,
  ProcessStep,
} from './step.ts';
import { type RunOptions, submitFlow } from './submit-flow.ts';

/** A step, independent of the type parameters of its flow. */
export interface DescribedStep {
  readonly name: string;
  readonly kind: OperationKindName;
  readonly after: readonly Predecessor<string>[];
  readonly spec: { readonly [field: string]: unknown };
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
  /** The Dataset with its output, which a later step uses unless it names one. */
  readonly dataset: string | undefined;
}

export type DatasetSpec = NonNullable<DatasetWritten['spec']>;

/** The description of a flow, before it is submitted. */
export interface FlowDescription {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly steps: readonly DescribedStep[];
  /** The Datasets that are created with the flow. */
  readonly datasets: { readonly [name: string]: DatasetSpec };
  readonly simulate: boolean;
}

export interface FlowOptions<D extends string> {
  /** The namespace of the kubeconfig's context by default. */
  readonly namespace?: string;
  /**
   * The Datasets that steps may refer to: new ones, created with the flow, and existing ones (`'exists'`).
   * Any other name does not compile. Without this option every name does.
   */
  readonly datasets?: { readonly [name in D]: DatasetSpec | 'exists' };
  /** Virtual members simulate the pods; no data is touched. */
  readonly simulate?: boolean;
}

type AnyStep = { readonly name?: string } & {
  readonly after?: Predecessor<string> | readonly Predecessor<string>[];
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
};

const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

const listOf = <T>(one: T | readonly T[]): readonly T[] => (Array.isArray(one) ? one : [one as T]);

/** Converts a source or a target to the field of the kind. */
const placeOf = (place: string | object) => {
  if (typeof place !== 'string') return place;
  return place.includes('://') ? { externalStorage: { uri: place } } : { dataset: { name: place } };
};

const stepOf = (one: Predecessor<string>): string | undefined =>
  typeof one === 'string' ? one : 'step' in one ? one.step : undefined;

/** The predecessors of a step. Checks that they exist, since JavaScript callers have no types to do so. */
const predecessorsIn = (
  name: string,
  after: readonly Predecessor<string>[],
  steps: readonly DescribedStep[],
): readonly Predecessor<string>[] => {
  const there = new Set(steps.map((one) => one.name));
  for (const one of after) {
    const before = stepOf(one);
    if (before === undefined || there.has(before)) continue;
    const names =
      steps.length === 0 ? 'it is the first' : `those before it are ${[...there].join(', ')}`;
    throw new UsageError(
      before === name
        ? `the step ${name} cannot run after itself`
        : `the step ${name} cannot run after ${before}, as there is no such step before it: ${names}`,
    );
  }
  return after;
};

/**
 * Steps in sequence, not yet submitted. Flows are immutable: adding a step returns a new flow. `S` are the
 * names of the steps, `D` those of the Datasets that steps may refer to.
 */
export class Flow<S extends string = never, D extends string = string> {
  readonly description: FlowDescription;
  readonly #on: ControlPlane | undefined;

  constructor(description: FlowDescription, on?: ControlPlane) {
    if (!NAME.test(description.name)) {
      throw new UsageError(
        `"${description.name}" names no flow: write lower-case letters, digits and dashes, a letter first`,
      );
    }
    this.description = description;
    this.#on = on;
  }

  /** Copies data between a Dataset and another one, or other storage. */
  migrate<const N extends string = 'migrate'>(
    step: MigrateStep<S, D> & Named<N, S>,
  ): Flow<S | N, D> {
    const { from, to, ...rest } = step;
    const spec = { ...rest, from: placeOf(from), to: placeOf(to) };
    const target = spec.to as { readonly dataset?: { readonly name: string } };
    return this.#with('DataMigrate', 'migrate', spec, target.dataset?.name);
  }

  /** Brings a Dataset from its origin into clusters. */
  load<const N extends string = 'load'>(step: LoadStep<S, D> & Named<N, S>): Flow<S | N, D> {
    const { dataset, ...rest } = step;
    return this.#with('DataLoad', 'load', { ...rest, dataset: { name: dataset } }, dataset);
  }

  /** Backs up the metadata of a Dataset's files. */
  backup<const N extends string = 'backup'>(step: BackupStep<S, D> & Named<N, S>): Flow<S | N, D> {
    return this.#with('DataBackup', 'backup', { ...(step as object) }, step.dataset);
  }

  /** Runs code on a Dataset: a function of this program, a script, or a pod. */
  process<const N extends string = 'process', const P extends string = never>(
    run: StepFunction,
    options?: FunctionOptions<S, D, P> & Named<N, S>,
  ): Flow<S | N, D | P>;
  process<const N extends string = 'process', const P extends string = never>(
    step: ProcessStep<S, D, P> & Named<N, S>,
  ): Flow<S | N, D | P>;
  process(
    step: StepFunction | (AnyStep & { readonly dataset?: string }),
    options: AnyStep & { readonly dataset?: string } = {},
  ): Flow<string, string> {
    const { name: flow, steps } = this.description;
    const before = steps.at(-1)?.dataset;
    const stepOptions = typeof step === 'function' ? options : step;
    const { name = 'process' } = stepOptions;
    const dataset = stepOptions.dataset ?? before;
    if (dataset === undefined) {
      throw new UsageError(`the step ${name} works on no Dataset: give it one, as dataset`);
    }
    const context = { flow, step: name, dataset };
    const spec =
      typeof step === 'function'
        ? functionStep(step, options, context)
        : processStep(step as never, context);
    return this.#with('DataProcess', 'process', spec, dataset) as unknown as Flow<string, string>;
  }

  /**
   * Predicts where each step would run and why, and the problems that keep the flow from running. Writes
   * nothing.
   */
  plan(on: ControlPlane = this.#on ?? currentControlPlane): Promise<FlowPlan> {
    return planFlow(this.description, on);
  }

  /**
   * Submits the whole flow or nothing.
   * @throws `FlowProblemsError` when it cannot run, before anything is submitted.
   */
  run(options: RunOptions & { readonly on?: ControlPlane } = {}): Promise<FlowRun<S>> {
    const { on = this.#on ?? currentControlPlane, ...rest } = options;
    return submitFlow(this.description, on, rest) as Promise<FlowRun<S>>;
  }

  #with<N extends string>(
    kind: OperationKindName,
    usualName: string,
    step: AnyStep & { readonly [field: string]: unknown },
    dataset: string | undefined,
  ): Flow<S | N, D> {
    const { steps } = this.description;
    const { name = usualName, after, labels = {}, annotations = {}, ...spec } = step;
    if (!NAME.test(name)) {
      throw new UsageError(
        `"${name}" names no step: write lower-case letters, digits and dashes, a letter first`,
      );
    }
    if (steps.some((one) => one.name === name)) {
      throw new UsageError(`there is a step ${name} already: give this one another name`);
    }
    const last = steps.at(-1);
    const usual: readonly Predecessor<string>[] = last === undefined ? [] : [last.name];
    const described: DescribedStep = {
      name,
      kind,
      after: predecessorsIn(name, after === undefined ? usual : listOf(after), steps),
      spec,
      labels,
      annotations,
      dataset,
    };
    const description = { ...this.description, steps: [...steps, described] };
    return new Flow<S | N, D>(description, this.#on);
  }
}

/** Begins the description of a flow. */
export const flow = <const D extends string = string>(
  name: string,
  { namespace, datasets, simulate = false }: FlowOptions<D> = {},
  on?: ControlPlane,
): Flow<never, D> => {
  const newDatasets = Object.entries<DatasetSpec | 'exists'>(datasets ?? {}).filter(
    (one): one is [string, DatasetSpec] => one[1] !== 'exists',
  );
  return new Flow(
    { name, namespace, steps: [], datasets: Object.fromEntries(newDatasets), simulate },
    on,
  );
};
