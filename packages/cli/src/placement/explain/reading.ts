import { ApiError, ConnectionError, isForbidden, isNotServed } from '@perigee/kube/errors';
import type { Reading } from '@perigee/scheduling/explain/snapshot';

/** What may not be read, or is not answered, is told as such, and hides nothing else. */
export const reading = async <T>(what: string, asked: Promise<T>): Promise<Reading<T>> => {
  try {
    return { value: await asked };
  } catch (error) {
    if (isForbidden(error)) return { hidden: `you may not read ${what}` };
    if (isNotServed(error)) return { hidden: `this server does not have ${what}` };
    if (error instanceof ApiError || error instanceof ConnectionError) {
      return { hidden: error.message };
    }
    throw error;
  }
};

/** The same for kinds that a server may well be without: then there are none of them. */
export const readingList = async <T>(
  what: string,
  asked: Promise<readonly T[]>,
): Promise<Reading<readonly T[]>> =>
  reading(
    what,
    asked.catch((error: unknown): readonly T[] => {
      if (isNotServed(error)) return [];
      throw error;
    }),
  );
