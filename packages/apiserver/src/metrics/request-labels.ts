import type { ResourceCatalog } from '../registry/resource-catalog.ts';
import { requestTarget } from '../request/request-target.ts';

/** Labels of a request in metrics. Values that clients choose are left out, to limit the number of series. */
export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
}

const DOCUMENTS = /^\/(?:healthz|livez|readyz|metrics|version|apis?|openapi\/v[23])(?=\/|$)/;
const SUBRESOURCES: ReadonlySet<string> = new Set([
  'approval',
  'binding',
  'ephemeralcontainers',
  'eviction',
  'finalize',
  'resize',
  'scale',
  'status',
  'token',
]);
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const NOTHING = { group: '', version: '', resource: '', subresource: '' };

const verbOf = (method: string, isOne: boolean, isWatch: boolean): string => {
  if (method === 'GET') return isWatch ? 'WATCH' : isOne ? 'GET' : 'LIST';
  if (method === 'DELETE') return isOne ? 'DELETE' : 'DELETECOLLECTION';
  return METHODS.has(method) ? method : 'other';
};

export const requestLabels = (
  method: string,
  path: string,
  isWatch: boolean,
  resources: ResourceCatalog,
): RequestLabels => {
  const target = requestTarget(path);
  const servedResource = target === undefined ? undefined : resources.find(target);
  if (target === undefined || servedResource === undefined) {
    const [document = ''] = DOCUMENTS.exec(path) ?? [];
    return { ...NOTHING, verb: METHODS.has(method) ? method : 'other', subresource: document };
  }
  const { subresource = '' } = target;
  return {
    verb: verbOf(method, target.name !== undefined, isWatch),
    group: servedResource.group,
    version: servedResource.version,
    resource: servedResource.plural,
    subresource: SUBRESOURCES.has(subresource) ? subresource : '',
  };
};
