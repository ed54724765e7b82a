import type { JsonObject } from '@perigee/schema/json';
import type { Refusal } from './validate-operation.ts';

/** The parts of a run: one pod, and its files in a ConfigMap named like the Job. */
export interface RunParts {
  readonly kind: 'run';
  readonly podSpec: JsonObject;
  /** Fields of the Job beside its limits. */
  readonly jobSpec?: JsonObject;
  readonly podLabels?: { readonly [key: string]: string };
  readonly podAnnotations?: { readonly [key: string]: string };
  /** By file name; empty without a ConfigMap. */
  readonly files: { readonly [name: string]: string };
}

/** The run of an operation, or the reason for refusing it. */
export type RenderedRun = RunParts | ({ readonly kind: 'refused' } & Refusal);
