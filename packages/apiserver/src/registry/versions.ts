import { RevisionError } from '../errors.ts';
import { badRequest } from '../status/request-refusals.ts';
import { tooLargeVersion, tooOldWatch } from '../status/server-refusals.ts';
import type { Store } from '../store/store.ts';

const VERSION = /^(?:0|[1-9][0-9]{0,15})$/;

/** The revision that a request names; undefined when it names none. */
export const parseVersion = (text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined;
  if (!VERSION.test(text))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
    );
  return Number(text);
};

/** Refuses to read at a revision that is still to come. */
export const checkReached = ({ revision }: Store, requestedRevision: number | undefined): void => {
  if (requestedRevision !== undefined && requestedRevision > revision)
    throw tooLargeVersion(requestedRevision, revision);
};

/** Runs a read, and maps errors about the revision to those of the API. */
export const atRevision = <T>(store: Store, requestedRevision: number, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RevisionError)) throw error;
    if (error.problem === 'future') throw tooLargeVersion(requestedRevision, store.revision);
    throw tooOldWatch(requestedRevision, store.compacted);
  }
};
