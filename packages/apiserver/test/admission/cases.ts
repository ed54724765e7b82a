import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { CONFIGURATION_CASES } from './configuration-cases.ts';
import { MUTATION_CASES } from './mutation-cases.ts';
import { POLICY_CASES } from './policy-cases.ts';
import { WEBHOOK_CASES } from './webhook-cases.ts';

/** The answer of a webhook of a case. */
export type CannedAnswer =
  | { readonly response: JsonObject }
  | { readonly patch: readonly JsonValue[] }
  | { readonly body: JsonObject }
  | { readonly code: number; readonly text: string }
  | 'nothing';

/** A request that is made once everything else of the case is there. */
export interface CaseRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly type?: string;
}

/** Something that admission has to do as kube-apiserver does it. */
export interface AdmissionCase {
  readonly name: string;
  /** Answers of webhooks, by the last part of their path. */
  readonly answers?: { readonly [path: string]: CannedAnswer };
  /** Objects that are there before, in this order, as pairs of path and body. */
  readonly given?: readonly (readonly [path: string, body: JsonObject])[];
  readonly request: CaseRequest;
}

/** The place of a case: a server that others may use too. */
export interface Stage {
  readonly namespace: string;
  /** The address of the webhooks. */
  readonly url: string;
  readonly caBundle: string;
}

export type MakeCase = (stage: Stage) => AdmissionCase;

export const CASES: readonly MakeCase[] = [
  ...WEBHOOK_CASES,
  ...POLICY_CASES,
  ...MUTATION_CASES,
  ...CONFIGURATION_CASES,
];
