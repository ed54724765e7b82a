import type { JsonObject } from '@perigee/schema/json';
import type { Subresource } from '../discovery/subresources.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { operationId, operationTag } from './model-name.ts';

const METHODS: { readonly [verb: string]: string } = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};

/** True if a subresource is a stream to what runs, such as `exec`, and no object. */
export const isConnection = ({ kind }: Subresource): boolean => kind.endsWith('Options');

/** The operations of a subresource that is a stream; its content has no schema. */
export const connectPathItem = (
  resource: ServedResource,
  sub: Subresource,
  title: string,
): JsonObject => {
  const { group, version, kind } = resource;
  const operations = sub.verbs.flatMap((verb): readonly (readonly [string, JsonObject])[] => {
    const method = METHODS[verb];
    if (method === undefined) return [];
    const word = `${method.charAt(0).toUpperCase()}${method.slice(1)}`;
    const operation = {
      tags: [operationTag(group, version)],
      description: `connect ${method.toUpperCase()} requests to ${sub.name} of ${kind}`,
      operationId: operationId('connect', resource, `${word}${title}`),
      responses: {
        200: { description: 'OK', content: { '*/*': { schema: { type: 'string' } } } },
        401: { description: 'Unauthorized' },
      },
      'x-kubernetes-action': 'connect',
      'x-kubernetes-group-version-kind': {
        group: sub.group,
        version: sub.version,
        kind: sub.kind,
      },
    };
    return [[method, operation]];
  });
  return Object.fromEntries(operations);
};
