import type { ResourceKind } from '@perigee/api/meta/resource-kind';

export interface ResourceTarget {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export type QueryValue = string | number | boolean | undefined;

/** A name that would change the meaning of the path is refused, before anything is sent. */
const checkSegment = (what: string, value: string): void => {
  if (value === '' || value === '.' || value === '..') {
    throw new TypeError(`"${value}" cannot be the ${what}: give the real one`);
  }
};

const segment = (what: string, value: string): string => {
  checkSegment(what, value);
  return encodeURIComponent(value);
};

/** Refuses a place in which no object of the kind can be. */
export const checkPlace = (
  { kind, scope }: Pick<ResourceKind, 'kind' | 'scope'>,
  { namespace, name }: ResourceTarget,
): void => {
  if (scope === 'Namespaced' && namespace === undefined && name !== undefined) {
    throw new TypeError(`${kind} "${name}" lives in a namespace: say which`);
  }
  if (scope === 'Cluster' && namespace !== undefined) {
    throw new TypeError(`${kind} does not live in a namespace: leave out "${namespace}"`);
  }
  if (namespace !== undefined) checkSegment('namespace', namespace);
  if (name !== undefined) checkSegment(`name of a ${kind}`, name);
};

/** Refuses a new object without its namespace. */
export const checkNewPlace = (
  { kind, scope }: Pick<ResourceKind, 'kind' | 'scope'>,
  { namespace }: ResourceTarget,
): void => {
  if (scope === 'Namespaced' && namespace === undefined) {
    throw new TypeError(`a new ${kind} lives in a namespace: set metadata.namespace`);
  }
};

/** The path of an object, or of all objects when no name is given, below the server's base URL. */
export const resourcePath = (resource: ResourceKind, target: ResourceTarget): string => {
  checkPlace(resource, target);
  const { group, version, kind, plural } = resource;
  const { namespace, name, subresource } = target;
  const parts = group === '' ? ['api'] : ['apis', segment('API group', group)];
  parts.push(segment('API version', version));
  if (namespace !== undefined) parts.push('namespaces', segment('namespace', namespace));
  parts.push(segment('resource', plural));
  if (name !== undefined) parts.push(segment(`name of a ${kind}`, name));
  if (subresource !== undefined) parts.push(segment('subresource', subresource));
  return `/${parts.join('/')}`;
};

/** Adds the parameters that have a value. */
export const withQuery = (path: string, query: { readonly [name: string]: QueryValue }): string => {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
};
