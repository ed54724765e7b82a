import { formatFieldSelector, parseFieldSelector } from '@perigee/api/values/field-selector';
import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import { RestError } from '../errors.ts';
import type { ListClustersOptions } from '../operations/list-clusters.ts';
import { recordPath } from '../profile/profile-names.ts';

const wrong = (parameter: string, detail: string): RestError =>
  new RestError(400, {
    reason: 'BadParameter',
    detail: `the parameter ${parameter} ${detail}`,
    errors: [{ field: parameter, detail }],
  });

/** Undefined if absent; a parameter given twice is ambiguous and refused. */
const one = (query: URLSearchParams, name: string): string | undefined => {
  const values = query.getAll(name);
  if (values.length > 1) throw wrong(name, 'may be given only once');
  return values[0];
};

/** The parameters of each call. */
const PARAMETERS = {
  list: ['limit', 'continue', 'labelSelector', 'fieldSelector'],
  register: ['dryRun'],
  show: [],
  update: ['dryRun'],
  unregister: ['dryRun', 'force'],
  describe: [],
} as const satisfies { readonly [call: string]: readonly string[] };

export type CallName = keyof typeof PARAMETERS;

/** Refuses unknown parameters: a misspelt one would silently change the result. */
export const refuseUnknown = (query: URLSearchParams, call: CallName): void => {
  const allowedNames: readonly string[] = PARAMETERS[call];
  const unknown = [...new Set(query.keys())].filter((name) => !allowedNames.includes(name));
  if (unknown.length === 0) return;
  const takes = allowedNames.length === 0 ? 'it takes none' : `it takes ${allowedNames.join(', ')}`;
  throw new RestError(400, {
    reason: 'UnknownParameter',
    detail: `this call does not know the parameter ${unknown.map((name) => JSON.stringify(name)).join(', ')}: ${takes}`,
    errors: unknown.map((field) => ({ field, detail: `is unknown: ${takes}` })),
  });
};

/** Parses `dryRun`, whose only value is `All`, as in Kubernetes. */
export const dryRunIn = (query: URLSearchParams): boolean => {
  const values = query.getAll('dryRun');
  if (values.some((value) => value !== 'All')) throw wrong('dryRun', 'must be All');
  return values.length > 0;
};

const LARGEST_LIMIT = 2 ** 31 - 1;

const limitIn = (query: URLSearchParams): number | undefined => {
  const text = one(query, 'limit');
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (/^\d{1,10}$/.test(text) && limit >= 1 && limit <= LARGEST_LIMIT) return limit;
  throw wrong('limit', `must be a whole number from 1 to ${LARGEST_LIMIT}`);
};

/** Accepts field names of a profile and of the record. */
const fieldSelectorIn = (query: URLSearchParams): string | undefined => {
  const text = one(query, 'fieldSelector');
  if (text === undefined) return undefined;
  try {
    const terms = parseFieldSelector(text);
    return formatFieldSelector(terms.map((term) => ({ ...term, path: recordPath(term.path) })));
  } catch (error) {
    if (error instanceof ParseError) throw wrong('fieldSelector', `is wrong: ${error.message}`);
    throw error;
  }
};

/** Parses the selectors and the paging of a list. */
export const listOptions = (query: URLSearchParams): ListClustersOptions => {
  const limit = limitIn(query);
  const token = one(query, 'continue');
  const labelSelector = one(query, 'labelSelector');
  const fieldSelector = fieldSelectorIn(query);
  return present({ limit, continue: token, labelSelector, fieldSelector });
};

/** Parses `force`: unregister although work is bound to the cluster. */
export const forceIn = (query: URLSearchParams): boolean => {
  const text = one(query, 'force');
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw wrong('force', 'must be true or false');
};
