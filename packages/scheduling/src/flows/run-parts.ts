import type { JsonObject } from '@perigee/schema/json';
import type { Refusal } from './validate-operation.ts';

/** What an operation runs: one pod, and the files that it is given in a ConfigMap of the name of the Job. */
export interface RunParts {
  readonly kind: 'run';
  readonly podSpec: JsonObject;
  /** What else the Job has, beside its limits. */
  readonly jobSpec?: JsonObject;
  readonly podLabels?: { readonly [key: string]: string };
  readonly podAnnotations?: { readonly [key: string]: string };
  /** By their names; without any there is no ConfigMap. */
  readonly files: { readonly [name: string]: string };
}

/** What an operation runs, or why it cannot. */
export type RenderedRun = RunParts | ({ readonly kind: 'refused' } & Refusal);
