import { ParseError } from '@perigee/schema/errors';
import { parseTime } from '@perigee/schema/values/time';
import { badRequest } from '../status/request-refusals.ts';
import { expired } from '../status/server-refusals.ts';
import type { HistoryRequest } from './object-history.ts';
import type { RevisionTimes } from './revision-times.ts';

const HISTORY = 'perigee.io/history';
const AT = 'perigee.io/at';

/** The requested form of an object's history; undefined for a request for the object itself. */
export const historyForm = (query: URLSearchParams): HistoryRequest['as'] | undefined => {
  const form = query.get(HISTORY);
  if (form === null || form === 'objects' || form === 'patches') return form ?? undefined;
  throw badRequest(`${HISTORY} is objects or patches, not ${JSON.stringify(form)}`);
};

const timeIn = (text: string): number => {
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof ParseError) throw badRequest(`${AT}: ${error.message}`);
    throw error;
  }
};

/** The query with the version that was the newest at the time that it names, if it names one. */
export const atItsTime = (
  query: URLSearchParams,
  times: RevisionTimes | undefined,
  now: number,
): URLSearchParams => {
  const text = query.get(AT);
  if (text === null) return query;
  if (query.has('resourceVersion') || query.has('continue')) {
    throw badRequest(`${AT} names a version already: leave out resourceVersion and continue`);
  }
  const time = timeIn(text);
  if (time > now) throw badRequest(`${AT}: ${text} is yet to come`);
  const revision = times?.revisionAt(time);
  if (revision === undefined) throw expired(`${AT}: nothing is known of ${text}: it is too old`);
  const next = new URLSearchParams(query);
  next.delete(AT);
  next.set('resourceVersion', String(revision));
  next.set('resourceVersionMatch', 'Exact');
  return next;
};
