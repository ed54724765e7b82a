import type { DataBackupWritten } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoadWritten } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrateWritten } from '@perigee/api/kinds/flows/data-migrate';
import type { DataProcessWritten } from '@perigee/api/kinds/flows/data-process';
import type { OperationKindName } from '@perigee/scheduling/flows/operation';

/** An existing operation outside of this flow. */
export interface ExistingOperation {
  readonly kind: OperationKindName;
  readonly name: string;
  readonly namespace?: string;
}

type Affinity = NonNullable<DataLoadWritten['spec']['runAfter']>['affinityStrategy'];

/** A predecessor, with the affinity to its nodes. */
export interface FollowedStep<S extends string> {
  readonly step: S;
  readonly affinityStrategy: Affinity;
}

export type Predecessor<S extends string> = S | FollowedStep<S> | ExistingOperation;

/** Options common to all steps. */
export interface StepOptions<S extends string> {
  /** Steps that must complete first: the previous step by default; none for an empty list. */
  readonly after?: Predecessor<S> | readonly Predecessor<S>[];
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

/** The name of a step, by which others refer to it. Duplicate names do not compile. */
export type Named<N extends string, S extends string> = { readonly name?: N } & (string extends S
  ? unknown
  : N extends S
    ? { readonly [why in `there is a step ${N} already: give this one another name`]: never }
    : unknown);

type Own<Spec, Replaced extends string> = Omit<Spec, Replaced | 'runAfter' | 'runAfterAll'>;

type Endpoint = DataMigrateWritten['spec']['from'];

/** A source or target: a Dataset's name, a storage URL, or the full endpoint. */
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

/** A Dataset that a step creates; later steps may refer to it. */
export type Produces<P extends string> = readonly (
  | P
  | (Omit<Product, 'dataset'> & { readonly dataset: { readonly name: P; readonly path?: string } })
  | (Omit<Product, 'dataset'> & { readonly dataset?: undefined })
)[];

interface ProcessedData<D extends string, P extends string> {
  /** Mount path of the Dataset in the containers: `/data` by default, not mounted when empty. */
  readonly mountPath?: string;
  /** The path within the Dataset to mount; all of it by default. */
  readonly subPath?: string;
  readonly dataset?: D;
  readonly produces?: Produces<P>;
}

export type ProcessStep<S extends string, D extends string, P extends string> = StepOptions<S> &
  Own<ProcessSpec, 'dataset' | 'produces'> &
  ProcessedData<D, P>;

type Processor = ProcessSpec['processor'];
type Script = NonNullable<Processor['script']>;

/** Options for a function that runs as a step. */
export type FunctionOptions<S extends string, D extends string, P extends string> = StepOptions<S> &
  Own<ProcessSpec, 'dataset' | 'produces' | 'processor'> &
  ProcessedData<D, P> &
  Pick<Processor, 'serviceAccountName' | 'podMetadata'> &
  Pick<Script, 'env' | 'resources' | 'volumes' | 'volumeMounts' | 'imagePullPolicy'> & {
    /** An image with node: `node:<your major version>-slim` by default. */
    readonly image?: string;
    /**
     * Values of the variables that the function closes over, for runtimes without an inspector to read
     * them.
     */
    readonly with?: { readonly [variable: string]: unknown };
  };
