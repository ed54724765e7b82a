import { type FieldError, invalid } from '../errors.ts';
import type { JsonValue } from '../json.ts';

/** A step down into a value: a property, an index of a list, or a key of a map. */
export type PathStep = string | number | { readonly key: string };

/** The path as Kubernetes writes it: `spec.tasks[0].name`, `spec.labels[a.b/c]`. */
export const renderPath = (steps: readonly PathStep[]): string => {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'string') text += text === '' ? step : `.${step}`;
    else text += typeof step === 'number' ? `[${step}]` : `[${step.key}]`;
  }
  return text;
};

/** Path of errors without a field, as Kubernetes writes it. */
export const NO_FIELD = '<nil>';

/**
 * The state of one walk over a value. The path is a stack that is turned into text for an error only:
 * most values are right, and text for each of their nodes would cost more than all the checks.
 */
export interface Walk {
  readonly path: PathStep[];
  readonly errors: FieldError[];
  /** Number of passed checks; decides which alternative came closest when none of an `anyOf` fits. */
  matches: number;
  /** Number of nested alternatives around the present value. */
  alternatives: number;
}

/** Checks a value; `old` is the value that it replaces, if that is known. */
export type Check = (value: JsonValue, old: JsonValue | undefined, walk: Walk) => void;

export const newWalk = (): Walk => ({ path: [], errors: [], matches: 0, alternatives: 0 });

/** Adds an error unless the same one was found since the walk entered the node, by another branch of it. */
export const report = (walk: Walk, since: number, error: FieldError): void => {
  for (let index = since; index < walk.errors.length; index++) {
    const earlierError = walk.errors[index];
    if (earlierError?.message === error.message && earlierError.field === error.field) return;
  }
  walk.errors.push(error);
};

/** Reports that the value at the walk's path is wrong, in the form `spec.x in body should …`. */
export const reportValue = (walk: Walk, since: number, value: JsonValue, rule: string): void => {
  const path = renderPath(walk.path);
  report(walk, since, invalid(path, value, `${path} in body ${rule}`));
};

/** Reports a problem whose own text names the path. */
export const reportUntied = (walk: Walk, since: number, detail: string): void =>
  report(walk, since, invalid(NO_FIELD, '', detail));
