import type { Clock } from '@perigee/kube/clock/clock';
import { ParseError } from '@perigee/schema/errors';
import { parseDuration } from '@perigee/schema/values/duration';
import { badRequest } from '../status/request-refusals.ts';
import { timeout } from '../status/server-refusals.ts';

/** No duration that means anything has more characters. */
const LONGEST_TEXT = 64;

/** Time limit of a request in milliseconds: that of its client, but at most that of the server. */
export const timeLimit = (query: URLSearchParams, longestMs: number): number => {
  const text = query.get('timeout') ?? '';
  if (text === '') return longestMs;
  try {
    if (text.length > LONGEST_TEXT) throw new ParseError('time: invalid duration');
    const askedMs = parseDuration(text);
    return askedMs > 0 && askedMs < longestMs ? askedMs : longestMs;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
};

export const overdue = (): Error => timeout('request did not complete within the allotted timeout');

/**
 * Runs the work; rejects with 504 at the time limit. The work is not cancelled, but the response does not wait for
 * it.
 */
export const withinLimit = async (
  clock: Clock,
  limitMs: number,
  work: () => Promise<void>,
): Promise<void> => {
  const late = Promise.withResolvers<never>();
  using _ = clock.timer(limitMs, () => late.reject(overdue()));
  await Promise.race([work(), late.promise]);
};
