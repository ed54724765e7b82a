import type { DataBackupWritten } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoadWritten } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrateWritten } from '@perigee/api/kinds/flows/data-migrate';
import type { DataProcessWritten } from '@perigee/api/kinds/flows/data-process';
import type { OperationKindName } from '@perigee/scheduling/flows/operation';

/** An operation that is there already, and belongs to no step of this flow. */
export interface ExistingOperation {
  readonly kind: OperationKindName;
  readonly name: string;
  readonly namespace?: string;
}

type Affinity = NonNullable<DataLoadWritten['spec']['runAfter']>['affinityStrategy'];

/** A step to run after, and on whose nodes. */
export interface FollowedStep<S extends string> {
  readonly step: S;
  readonly affinityStrategy: Affinity;
}

export type Predecessor<S extends string> = S | FollowedStep<S> | ExistingOperation;

/** What every step may say beside what it does. */
export interface StepOptions<S extends string> {
  /** What must be complete first: the step before, unless given; nothing for an empty list. */
  readonly after?: Predecessor<S> | readonly Predecessor<S>[];
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

/** The name of a step, by which others refer to it. Two steps of one name do not compile. */
export type Named<N extends string, S extends string> = { readonly name?: N } & (string extends S
  ? unknown
  : N extends S
    ? { readonly [why in `there is a step ${N} already: give this one another name`]: never }
    : unknown);

type Own<Spec, Replaced extends string> = Omit<Spec, Replaced | 'runAfter' | 'runAfterAll'>;

type Endpoint = DataMigrateWritten['spec']['from'];

/** One end of a way: a Dataset by its name, storage by its address, or either of them in all detail. */
export type Place<D extends string> = D | `${string}://${string}` | Endpoint;

export type MigrateStep<S extends string, D extends string> = StepOptions<S> &
  Own<DataMigrateWritten['spec'], 'from' | 'to'> & {
    readonly from: Place<D>;
    readonly to: Place<D>;
  };

export type LoadStep<S extends string, D extends string> = StepOptions<S> &
  Own<DataLoadWritten['spec'], 'dataset'> & { readonly dataset: D };

export type BackupStep<S extends string, D extends string> = StepOptions<S> &
  Own<DataBackupWritten['spec'], 'dataset'> & { readonly dataset: D };

type ProcessSpec = DataProcessWritten['spec'];
export type Product = NonNullable<ProcessSpec['produces']>[number];

/** A Dataset that a step makes; later steps may refer to it. */
export type Produces<P extends string> = readonly (
  | P
  | (Omit<Product, 'dataset'> & { readonly dataset: { readonly name: P; readonly path?: string } })
  | (Omit<Product, 'dataset'> & { readonly dataset?: undefined })
)[];

interface ProcessedData<D extends string, P extends string> {
  /** Where the Dataset appears in the containers: `/data` unless given, and nowhere when empty. */
  readonly mountPath?: string;
  /** The part of the Dataset to mount; all of it unless given. */
  readonly subPath?: string;
  readonly dataset?: D;
  readonly produces?: Produces<P>;
}

export type ProcessStep<S extends string, D extends string, P extends string> = StepOptions<S> &
  Own<ProcessSpec, 'dataset' | 'produces'> &
  ProcessedData<D, P>;

type Processor = ProcessSpec['processor'];
type Script = NonNullable<Processor['script']>;

/** How a function runs as a step. */
export type FunctionOptions<S extends string, D extends string, P extends string> = StepOptions<S> &
  Own<ProcessSpec, 'dataset' | 'produces' | 'processor'> &
  ProcessedData<D, P> &
  Pick<Processor, 'serviceAccountName' | 'podMetadata'> &
  Pick<Script, 'env' | 'resources' | 'volumes' | 'volumeMounts' | 'imagePullPolicy'> & {
    /** An image with node in it: `node:<your major version>-slim` unless given. */
    readonly image?: string;
    /** Values of variables of the function, where it cannot be looked up what it closes over. */
    readonly with?: { readonly [variable: string]: unknown };
  };

/** What a function that is a step gets, where it runs. */
export interface StepContext {
  /** The folder that the Dataset is in. */
  readonly data: string;
  readonly dataset: string;
  readonly flow: string;
  readonly step: string;
}

/** A function that runs as a step. What it gives back is the last line that it prints, as JSON. */
export type StepFunction = (context: StepContext) => unknown;
