import { type FieldError, forbidden, invalid, notSupported, tooLong } from '@perigee/schema/errors';
import type { FieldValidation } from '../registry/decode-input.ts';
import type { ListRequest } from '../registry/list.ts';
import { count, flag, text } from '../request/query.ts';
import { invalidObject } from '../status/object-refusals.ts';
import type { WatchRequest } from '../watch/watch-plan.ts';

const META = 'meta.k8s.io';

/** The object without the fields that have no value. */
const withoutUndefined = <T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const refuseOptions = (kind: string, problems: readonly FieldError[]): void => {
  if (problems.length > 0) throw invalidObject({ group: META, kind }, '', problems);
};

export const listOptions = (query: URLSearchParams): ListRequest => {
  count(query, 'timeoutSeconds');
  if (flag(query, 'sendInitialEvents') !== undefined) {
    const field = 'sendInitialEvents';
    refuseOptions('ListOptions', [forbidden(field, `${field} is forbidden for list`)]);
  }
  return withoutUndefined({
    labelSelector: text(query, 'labelSelector'),
    fieldSelector: text(query, 'fieldSelector'),
    limit: count(query, 'limit'),
    continue: text(query, 'continue'),
    resourceVersion: text(query, 'resourceVersion'),
    resourceVersionMatch: text(query, 'resourceVersionMatch'),
  });
};

export const watchOptions = (query: URLSearchParams): WatchRequest => {
  count(query, 'limit');
  return withoutUndefined({
    labelSelector: text(query, 'labelSelector'),
    fieldSelector: text(query, 'fieldSelector'),
    resourceVersion: text(query, 'resourceVersion'),
    resourceVersionMatch: text(query, 'resourceVersionMatch'),
    sendInitialEvents: flag(query, 'sendInitialEvents'),
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks'),
    timeoutSeconds: count(query, 'timeoutSeconds'),
  });
};

const checkDryRun = (values: readonly string[]): readonly FieldError[] =>
  values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];

/** True if only the answer is wanted and not the deed. */
export const readDryRun = (values: readonly string[], kind: string): boolean => {
  refuseOptions(kind, checkDryRun(values));
  return values.length > 0;
};

const FIELD_VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

export interface WriteQuery {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
}

const LONGEST_MANAGER_BYTES = 128;

const checkManager = (name: string): readonly FieldError[] => {
  const field = 'fieldManager';
  if (Buffer.byteLength(name) > LONGEST_MANAGER_BYTES) {
    return [tooLong(field, LONGEST_MANAGER_BYTES)];
  }
  const at = name.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at < 0) return [];
  const code = (name.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return [invalid(field, name, `invalid character U+${code} (at position ${at})`)];
};

/** A program that names no field manager is known by the first word of its User-Agent. */
const managerOf = (query: URLSearchParams, userAgent: string | undefined): string =>
  text(query, 'fieldManager') ??
  (userAgent?.split('/')[0]?.slice(0, LONGEST_MANAGER_BYTES) || 'unknown');

export const writeOptions = (
  query: URLSearchParams,
  userAgent: string | undefined,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteQuery => {
  const validation = query.get('fieldValidation') ?? '';
  const dryRun = query.getAll('dryRun');
  refuseOptions(kind, [
    ...checkManager(query.get('fieldManager') ?? ''),
    ...checkDryRun(dryRun),
    ...(FIELD_VALIDATIONS.includes(validation)
      ? []
      : [notSupported('fieldValidation', validation, FIELD_VALIDATIONS)]),
  ]);
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: (validation || 'Warn') as FieldValidation,
    fieldManager: managerOf(query, userAgent),
  };
};

export const isForced = (query: URLSearchParams): boolean => flag(query, 'force') === true;

/** Only an apply can take fields from others. */
export const refuseForce = (query: URLSearchParams): void => {
  if (flag(query, 'force') === undefined) return;
  refuseOptions('PatchOptions', [forbidden('force', 'may not be specified for non-apply patch')]);
};
