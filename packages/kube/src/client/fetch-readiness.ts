import { present } from '@perigee/schema/present';
import { ApiError } from '../errors.ts';
import type { ApiCaller } from './api-caller.ts';
import type { CallOptions } from './client.ts';

/** Old servers know only the second. */
const PATHS = ['/readyz', '/healthz'];

const NOT_FOUND = 404;

/** True if the server says that it is ready. One that cannot be reached says nothing, which is an error. */
export const fetchReadiness = async (
  caller: ApiCaller,
  { signal }: CallOptions,
): Promise<boolean> => {
  for (const path of PATHS) {
    try {
      await caller.text({ method: 'GET', path, ...present({ signal }) });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code !== NOT_FOUND) return false;
    }
  }
  return false;
};
