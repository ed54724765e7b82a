import { ApiError, ConnectionError, isForbidden, isNotServed } from '@perigee/kube/errors';
import type { Reading } from '@perigee/scheduling/explain/snapshot';

/** Turns a forbidden or unanswered request into a `hidden` reason, so that the rest is shown all the same. */
export const reading = async <T>(what: string, request: Promise<T>): Promise<Reading<T>> => {
  try {
    return { value: await request };
  } catch (error) {
    if (isForbidden(error)) return { hidden: `you may not read ${what}` };
    if (isNotServed(error)) return { hidden: `this server does not have ${what}` };
    if (error instanceof ApiError || error instanceof ConnectionError) {
      return { hidden: error.message };
    }
    throw error;
  }
};

/** The same for optional kinds: a server that does not serve them has none. */
export const readingList = async <T>(
  what: string,
  request: Promise<readonly T[]>,
): Promise<Reading<readonly T[]>> =>
  reading(
    what,
    request.catch((error: unknown): readonly T[] => {
      if (isNotServed(error)) return [];
      throw error;
    }),
  );
