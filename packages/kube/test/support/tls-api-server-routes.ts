import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, DeleteOptions, Patch, WriteOptions } from '../../src/client/client.ts';
import type { ApiResource } from '../../src/client/discovery.ts';
import { ApiError } from '../../src/errors.ts';
import type { SeenRequest } from './tls-api-server-faults.ts';

const failure = (code: number, reason: string, message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });

/** Resource and object of a path under `/api` or `/apis`. */
export interface Target {
  readonly kind: ResourceKind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Reads `/apis/apps/v1/namespaces/a/deployments/b/status`. */
export const targetOf = (path: string, resources: readonly ApiResource[]): Target => {
  const segments = path.split('/').slice(1).map(decodeURIComponent);
  const [group = '', version, ...rest] =
    segments[0] === 'api' ? ['', ...segments.slice(1)] : segments.slice(1);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const [plural, name, subresource] = inNamespace ? rest.slice(2) : rest;
  const kind = resources.find(
    (r) => r.group === group && r.version === version && r.plural === plural,
  );
  if (!kind) throw failure(404, 'NotFound', 'the server could not find the requested resource');
  return {
    kind,
    ...(inNamespace && rest[1] ? { namespace: rest[1] } : {}),
    ...(name ? { name } : {}),
    ...(subresource ? { subresource } : {}),
  };
};

const PATCH_TYPES: { readonly [contentType: string]: Patch['type'] } = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

const patchOf = ({ headers, body, query }: SeenRequest): Patch => {
  const type = PATCH_TYPES[String(headers['content-type'])];
  const content = JSON.parse(body);
  switch (type) {
    case undefined:
      throw failure(415, 'UnsupportedMediaType', `no such patch: ${headers['content-type']}`);
    case 'json':
      return { type, operations: content };
    case 'apply':
      return {
        type,
        body: content,
        fieldManager: query.get('fieldManager') ?? '',
        force: query.get('force') === 'true',
      };
    default:
      return { type, body: content };
  }
};

/** The options that a query can carry, with their names unchanged. */
const optionsOf = (query: URLSearchParams) => {
  const text = [
    'labelSelector',
    'fieldSelector',
    'continue',
    'resourceVersion',
    'resourceVersionMatch',
  ];
  const numbers = ['limit', 'timeoutSeconds'];
  const options: Record<string, string | number | boolean> = {};
  for (const key of text) if (query.has(key)) options[key] = query.get(key) ?? '';
  for (const key of numbers) if (query.has(key)) options[key] = Number(query.get(key));
  if (query.get('sendInitialEvents') === 'true') options.sendInitialEvents = true;
  return options;
};

const writeOptionsOf = ({ query }: SeenRequest, { subresource }: Target): WriteOptions => ({
  ...(query.get('dryRun') === 'All' ? { dryRun: true } : {}),
  ...(query.has('fieldManager') ? { fieldManager: query.get('fieldManager') ?? '' } : {}),
  ...(subresource ? { subresource } : {}),
});

const deleteOptionsOf = ({ body }: SeenRequest): DeleteOptions => {
  if (body === '') return {};
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = JSON.parse(body);
  return {
    dryRun: dryRun?.includes('All') ?? false,
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
  };
};

/** The events of a watch, or nothing if the request is not one. */
export const watchOf = (
  client: Client,
  request: SeenRequest,
  target: Target,
  signal: AbortSignal,
) => {
  if (request.query.get('watch') !== 'true') return undefined;
  const place = target.namespace ? { namespace: target.namespace } : {};
  return client.watch(target.kind, { ...optionsOf(request.query), ...place, signal });
};

/** Answers any request that is not a watch; the result is the body. */
export const answer = async (
  client: Client,
  request: SeenRequest,
  target: Target,
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly body: object }> => {
  const { kind, name, namespace, subresource } = target;
  const place = namespace ? { namespace } : {};
  const ref = { name: name ?? '', ...place };
  const write = { ...writeOptionsOf(request, target), signal };
  switch (`${request.method} ${name === undefined ? 'collection' : 'object'}`) {
    case 'GET object': {
      const options = { ...(subresource ? { subresource } : {}), signal };
      return { code: 200, body: await client.get(kind, ref, options) };
    }
    case 'GET collection': {
      const list = await client.list(kind, { ...optionsOf(request.query), ...place, signal });
      return {
        code: 200,
        body: { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), ...list },
      };
    }
    case 'POST collection':
    case 'POST object':
      return { code: 201, body: await client.create(kind, JSON.parse(request.body), write) };
    case 'PUT object':
      return { code: 200, body: await client.update(kind, JSON.parse(request.body), write) };
    case 'PATCH object':
      return { code: 200, body: await client.patch(kind, ref, patchOf(request), write) };
    case 'DELETE object':
      await client.delete(kind, ref, { ...deleteOptionsOf(request), signal });
      return { code: 200, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
    case 'DELETE collection': {
      const options = {
        ...optionsOf(request.query),
        ...deleteOptionsOf(request),
        ...place,
        signal,
      };
      await client.deleteCollection(kind, options);
      return { code: 200, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
    }
    default:
      throw failure(405, 'MethodNotAllowed', `${request.method} is not allowed here`);
  }
};
