import type { ClusterRef } from './operations/cluster-ref.ts';

export type Route =
  | { readonly kind: 'clusters' }
  /** `called` is the name or id in the path, which the reply to a DELETE repeats. */
  | { readonly kind: 'cluster'; readonly ref: ClusterRef; readonly called: string }
  | { readonly kind: 'openapi' };

/** The Global Resource Scheduler's design omits the first segment in some of its paths. */
const BASES: readonly string[] = ['/globalscheduler/v1', '/v1'];
export const PREFIXES: readonly string[] = ['/globalscheduler/', '/v1/'];
const [BASE = ''] = BASES;
export const CLUSTERS = `${BASE}/clusters`;
export const OPENAPI = `${BASE}/openapi.json`;

/** The second one is a typo in an example of the Global Resource Scheduler's design, accepted all the same. */
const COLLECTIONS: readonly string[] = ['clusters', 'clutsers'];

/** Undefined for an unknown path. */
export const routeOf = (path: string): Route | undefined => {
  const base = BASES.find((one) => path.startsWith(`${one}/`));
  if (base === undefined) return undefined;
  const [collection = '', ...rest] = path.slice(base.length + 1).split('/');
  if (collection === 'openapi.json' && rest.length === 0) return { kind: 'openapi' };
  if (!COLLECTIONS.includes(collection)) return undefined;
  const [first = '', second, ...more] = rest;
  if (more.length > 0) return undefined;
  if (second === undefined) {
    return first === ''
      ? { kind: 'clusters' }
      : { kind: 'cluster', ref: { nameOrId: first }, called: first };
  }
  if (first === 'id') return { kind: 'cluster', ref: { id: second }, called: second };
  if (first === 'name') return { kind: 'cluster', ref: { name: second }, called: second };
  return undefined;
};

/** The methods that each route allows. */
export const METHODS: { readonly [kind in Route['kind']]: readonly string[] } = {
  clusters: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  cluster: ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'],
  openapi: ['GET', 'HEAD', 'OPTIONS'],
};
