import { type FieldError, forbidden, notSupported } from '@perigee/schema/errors';
import { invalidObject } from '../status/object-refusals.ts';

/** The revision that a read requests. */
export interface VersionMatch {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly continue?: string;
}

const MATCHES: readonly string[] = ['Exact', 'NotOlderThan'];

/** True if exactly the state at the version is asked for; refuses what makes no sense. */
export const isExact = (request: VersionMatch): boolean => {
  const { resourceVersionMatch: match = '', resourceVersion = '', continue: token = '' } = request;
  if (match === '') return false;
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (resourceVersion === '') {
    errors.push(forbidden(field, `${field} is forbidden unless resourceVersion is provided`));
  }
  if (token !== '') {
    errors.push(forbidden(field, `${field} is forbidden when continue is provided`));
  }
  if (!MATCHES.includes(match)) errors.push(notSupported(field, match, [...MATCHES, '']));
  if (match === 'Exact' && resourceVersion === '0') {
    errors.push(forbidden(field, `${field} "exact" is forbidden for resourceVersion "0"`));
  }
  if (errors.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  }
  return match === 'Exact';
};
