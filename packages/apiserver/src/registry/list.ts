import { ApiError, isGone } from '@perigee/kube/errors';
import { present } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';
import { expired, tooOldList } from '../status/server-refusals.ts';
import type { Entry } from '../store/store.ts';
import { entrySlices, READ_SLICE } from './entry-slices.ts';
import { formOf } from './object-form.ts';
import { keyOf, prefixOf, type Registry, tableOf } from './registry.ts';
import { type Selection, type Selectors, selectionOf } from './selection.ts';
import { isExact } from './version-match.ts';
import { atRevision, checkReached, parseVersion } from './versions.ts';

/** Position at which a list continues: a revision, and the key before. */
interface ContinueToken {
  /** Undefined: the newest, because the revision of the first page is no longer kept. */
  readonly revision: number | undefined;
  readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';
const NEWEST = -1;

const formatContinue = ({ revision = NEWEST, after }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: after })).toString('base64url');

const notValid = (why: string): Error =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`);

const read = (text: string): { v?: unknown; rv?: unknown; start?: unknown } => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) ?? {};
  } catch {
    throw notValid('it is not one of this server');
  }
};

const parseContinue = (text: string): ContinueToken => {
  const { v, rv, start } = read(text);
  if (v !== VERSION) throw notValid(`server does not recognize this encoded version ${v}`);
  if (!Number.isSafeInteger(rv) || rv === 0) {
    throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw notValid(`encoded start key is empty (version ${VERSION})`);
  }
  return { revision: rv === NEWEST ? undefined : Number(rv), after: start };
};

export interface ListRequest extends Selectors {
  readonly namespace?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

/** One page of a list. */
export interface ListPage {
  readonly revision: number;
  readonly entries: readonly Entry[];
  readonly continue: string | undefined;
  readonly remaining: number | undefined;
}

interface Moment {
  /** The newest, when undefined. */
  readonly revision: number | undefined;
  readonly after: string | undefined;
}

/** The state that a list reads. Pages after the first have the revision of the first. */
const momentOf = (registry: Registry, request: ListRequest): Moment => {
  const { limit = 0, resourceVersionMatch: match = '' } = request;
  const isAsked = isExact(request);
  const version = parseVersion(request.resourceVersion);
  if (request.continue) {
    if (version !== undefined && version > 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const { revision, after } = parseContinue(request.continue);
    return { revision, after };
  }
  checkReached(registry.store, version);
  const isImplied = match === '' && limit > 0 && (version ?? 0) > 0;
  return { revision: isAsked || isImplied ? version : undefined, after: undefined };
};

const STALE_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

const staleToken = (after: string): ApiError => {
  const { status } = expired(STALE_TOKEN);
  const metadata = { continue: formatContinue({ revision: undefined, after }) };
  return new ApiError({ ...status, metadata } as typeof status);
};

/** Number of entries per turn of the event loop when a selector filters them. */
const STRIDE = 1000;

/**
 * Scans the objects of one revision. Their entries are taken at once; to read thousands of them in one turn would
 * delay other requests.
 */
const scan = async (
  registry: Registry,
  resource: ServedResource,
  request: ListRequest,
  selection: Selection,
  moment: Moment,
): Promise<ListPage> => {
  const { store, clock } = registry;
  const { read, versions } = formOf(resource);
  const { limit = 0, namespace } = request;
  const table = tableOf(registry, resource);
  const prefix = prefixOf(namespace);
  const selectsAll = selection.text === '';
  const entries: Entry[] = [];
  let { revision, after } = moment;
  for (;;) {
    const stride = limit > 0 ? (selectsAll ? limit : Math.max(limit, STRIDE)) : undefined;
    const range = atRevision(store, revision ?? 0, () =>
      store.range(table, {
        ...present({ prefix, after, limit: stride, revision }),
      }),
    );
    revision = range.revision;
    let remainingCount = range.remaining + range.entries.length;
    for (const slice of selectsAll ? [range.entries] : entrySlices(range.entries, READ_SLICE)) {
      if (versions !== undefined) await versions.convert(slice);
      for (const entry of slice) {
        remainingCount -= 1;
        if (!selectsAll && !(selection.mayMatch(entry.bytes) && selection.matches(read(entry)))) {
          continue;
        }
        entries.push(entry);
        if (entries.length === limit && remainingCount > 0) {
          const token = formatContinue({ revision, after: entry.key });
          return {
            revision,
            entries,
            continue: token,
            remaining: selectsAll ? remainingCount : undefined,
          };
        }
      }
      if (remainingCount > 0) await clock.yield();
    }
    const last = range.entries.at(-1);
    if (range.remaining === 0 || last === undefined) {
      return { revision, entries, continue: undefined, remaining: undefined };
    }
    after = last.key;
  }
};

/** A single name is looked up by its key. */
const lookUp = async (
  registry: Registry,
  resource: ServedResource,
  { namespace }: ListRequest,
  selection: Selection,
  name: string,
): Promise<ListPage> => {
  const { store } = registry;
  const { revision } = store;
  const entry = store.get(tableOf(registry, resource), keyOf(namespace, name));
  const { read, versions } = formOf(resource);
  if (entry !== undefined && versions !== undefined) await versions.convert([entry]);
  const isMatch = entry !== undefined && selection.matches(read(entry));
  return {
    revision,
    entries: isMatch ? [entry] : [],
    continue: undefined,
    remaining: undefined,
  };
};

/** Lists the state at the moment of the call, also when it takes several turns to read it. */
export const listObjects = async (
  registry: Registry,
  resource: ServedResource,
  request: ListRequest,
): Promise<ListPage> => {
  const selection = selectionOf(resource, request);
  const moment = momentOf(registry, request);
  const { name } = selection;
  const isOneKey = request.namespace !== undefined || resource.scope === 'Cluster';
  if (name !== undefined && isOneKey && moment.revision === undefined && !moment.after) {
    return lookUp(registry, resource, request, selection, name);
  }
  try {
    return await scan(registry, resource, request, selection, moment);
  } catch (error) {
    if (!isGone(error)) throw error;
    throw moment.after === undefined ? tooOldList() : staleToken(moment.after);
  }
};
