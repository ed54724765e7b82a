import { type FieldError, invalid, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, textAt } from '@perigee/schema/json-fields';
import { checkDnsLabel } from '@perigee/schema/values/names';

type Errors = readonly FieldError[];

const MOST_INDEXES = 100_000;
const MOST_OF_MANY = 10_000;

/** A number that is there may be no more than a limit. */
const atMost = (spec: JsonObject, path: string, name: string, most: number, when = ''): Errors => {
  const value = numberAt(spec, name) ?? 0;
  const why = `must be less than or equal to ${most}${when}`;
  return value > most ? [invalid(`${path}.${name}`, value, why)] : [];
};

const checkIndexed = (spec: JsonObject, path: string): Errors => {
  const completions = numberAt(spec, 'completions');
  const maxFailed = numberAt(spec, 'maxFailedIndexes');
  const hasMany = (completions ?? 0) > MOST_INDEXES && spec.backoffLimitPerIndex !== undefined;
  const above = `completions are above ${MOST_INDEXES} and used with backoff limit per index`;
  return [
    ...(completions === undefined
      ? [required(`${path}.completions`, 'when completion mode is Indexed')]
      : []),
    ...atMost(spec, path, 'parallelism', MOST_INDEXES, ' when completion mode is Indexed'),
    ...(completions !== undefined && (maxFailed ?? 0) > completions
      ? [
          invalid(
            `${path}.maxFailedIndexes`,
            maxFailed,
            'must be less than or equal to completions',
          ),
        ]
      : []),
    ...atMost(spec, path, 'maxFailedIndexes', MOST_INDEXES),
    ...(hasMany && maxFailed === undefined
      ? [
          required(
            `${path}.maxFailedIndexes`,
            `must be specified when completions is above ${MOST_INDEXES}`,
          ),
        ]
      : []),
    ...(hasMany
      ? ['parallelism', 'maxFailedIndexes'].flatMap((name) =>
          atMost(spec, path, name, MOST_OF_MANY, ` when ${above}`),
        )
      : []),
  ];
};

/** Rules of Indexed jobs, and of the fields that only they may set. */
export const checkIndexes = (spec: JsonObject, path: string): Errors => {
  if (spec.completionMode === 'Indexed') return checkIndexed(spec, path);
  if (spec.completionMode !== 'NonIndexed') return [];
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((name) => spec[name] !== undefined)
    .map((name) => invalid(`${path}.${name}`, spec[name], 'requires indexed completion mode'));
};

/** Pods are called by the job and their index, of which the last is the longest. */
export const checkHostnames = (job: JsonObject): Errors => {
  const spec = objectAt(job, 'spec');
  const completions = numberAt(spec, 'completions') ?? 0;
  if (spec.completionMode !== 'Indexed' || completions <= 0) return [];
  const name = textAt(objectAt(job, 'metadata'), 'name');
  const last = `${name}-${completions - 1}`;
  const why = `will not able to create pod with invalid DNS label: ${last}`;
  return checkDnsLabel(last).length === 0 ? [] : [invalid('metadata.name', name, why)];
};
