import { parseFieldSelector } from '@perigee/api/values/field-selector';
import type { Attributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ParseError } from '@perigee/schema/errors';
import { isWatch } from '../request/query.ts';

/** Method and URL of a request, available before its body. */
export interface RequestLine {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const VERBS: { readonly [method: string]: string } = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Old paths that begin with a verb: `/api/v1/watch/pods`. */
const VERBS_IN_PATHS: readonly string[] = ['proxy', 'watch'];

const PARTS_OF_NAMESPACES: readonly string[] = ['status', 'finalize'];

/** A name that could not stand in a path is no name. */
const canBeInPath = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);

/** A list or watch of one name is about that object, so that a rule with `resourceNames` can allow it. */
const selectedName = (query: URLSearchParams): string => {
  try {
    const name = parseFieldSelector(query.get('fieldSelector') ?? '').find(
      ({ path, operator }) => path === 'metadata.name' && operator === '=',
    )?.value;
    return name !== undefined && canBeInPath(name) ? name : '';
  } catch (error) {
    if (error instanceof ParseError) return '';
    throw error;
  }
};

interface Parts {
  readonly namespace: string;
  readonly rest: readonly string[];
}

/** A namespace as an object is in itself: its name is also its namespace. */
const splitNamespace = (parts: readonly string[]): Parts => {
  const [first, namespace = '', third] = parts;
  if (first !== 'namespaces') return { namespace: '', rest: parts };
  const isInside = third !== undefined && !PARTS_OF_NAMESPACES.includes(third);
  return { namespace, rest: isInside ? parts.slice(2) : parts };
};

const partsOf = (path: string): readonly string[] =>
  path.replace(/^\/+|(?<!\/)\/+$/g, '').split('/');

const verbAndName = (
  verb: string,
  name: string,
  query: URLSearchParams,
): { readonly verb: string; readonly name: string } => {
  if (name !== '') return { verb, name };
  if (verb === 'get') return { verb: isWatch(query) ? 'watch' : 'list', name: selectedName(query) };
  return { verb: verb === 'delete' ? 'deletecollection' : verb, name };
};

/** Attributes of a request, as Kubernetes derives them. */
export const requestAttributes = (
  user: UserInfo,
  { method, path, query }: RequestLine,
): Attributes => {
  const [root, ...parts] = partsOf(path);
  const [apiGroup, apiVersion, ...places] = root === 'api' ? ['', ...parts] : parts;
  const isResource = (root === 'api' || root === 'apis') && places.length > 0;
  if (!isResource || apiGroup === undefined || apiVersion === undefined) {
    return { user, verb: method.toLowerCase(), path };
  }
  const verbInPath = VERBS_IN_PATHS.find((verb) => verb === places[0]);
  const { namespace, rest } = splitNamespace(verbInPath === undefined ? places : places.slice(1));
  const [resource = '', nameSegment = '', part = ''] = rest;
  return {
    user,
    ...verbAndName(verbInPath ?? VERBS[method] ?? '', nameSegment, query),
    apiGroup,
    apiVersion,
    resource,
    subresource: verbInPath === 'proxy' ? '' : part,
    namespace,
  };
};
