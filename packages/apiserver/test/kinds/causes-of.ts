import { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';

export type RefusalCause = readonly [field: string, reason: string, message: string];

/** An input, and why kube-apiserver 1.36 refused it. */
export interface CaseOfRefusal {
  readonly name: string;
  /** The object that the input is to replace. */
  readonly old?: JsonObject;
  readonly input: JsonObject;
  /** None if it was not refused. */
  readonly causes: readonly RefusalCause[];
}

const LONGEST = 80;

/** Long texts are recorded by their beginning, and long values not at all; uids differ. */
const shortened = (message: string): string =>
  message
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
    .replace(/: \{.{100,}\}: /, ': {…}: ')
    .slice(0, LONGEST);

/** The causes of a refusal; none if the attempt succeeds. */
export const causesOf = async (attempt: Promise<unknown>): Promise<readonly RefusalCause[]> => {
  try {
    await attempt;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const causes = error.status.details?.causes ?? [];
    return causes.map(({ field = '', reason = '', message = '' }) => [
      field,
      reason.replace('FieldValue', ''),
      shortened(message),
    ]);
  }
};

/** The order in which a server finds the causes says nothing, and some it finds twice. */
export const asSet = (causes: readonly RefusalCause[]): readonly string[] =>
  [...new Set(causes.map((cause) => cause.join(' | ')))].toSorted();
