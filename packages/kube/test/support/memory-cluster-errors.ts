import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { ApiError } from '../../src/errors.ts';

const resourceName = (kind: ResourceKind): string =>
  kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;

const failure = (
  code: number,
  reason: string,
  message: string,
  details: ApiError['status']['details'] = {},
): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message,
    details,
  });

const about = (kind: ResourceKind, name: string) => ({
  name,
  group: kind.group,
  kind: kind.plural,
});

export const unknownResource = (kind: ResourceKind): ApiError =>
  failure(404, 'NotFound', `the server could not find the requested resource ${kind.plural}`);

export const notFound = (kind: ResourceKind, name: string): ApiError =>
  failure(404, 'NotFound', `${resourceName(kind)} "${name}" not found`, about(kind, name));

export const alreadyExists = (kind: ResourceKind, name: string): ApiError =>
  failure(
    409,
    'AlreadyExists',
    `${resourceName(kind)} "${name}" already exists`,
    about(kind, name),
  );

export const conflict = (kind: ResourceKind, name: string, why: string): ApiError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`,
    about(kind, name),
  );

export const invalid = (kind: ResourceKind, name: string, why: string): ApiError =>
  failure(422, 'Invalid', `${kind.kind} "${name}" is invalid: ${why}`, about(kind, name));

export const badRequest = (why: string): ApiError => failure(400, 'BadRequest', why);

export const expired = (revision: number, floor: number): ApiError =>
  failure(410, 'Expired', `too old resource version: ${revision} (${floor})`);

export const tooLarge = (revision: number, current: number): ApiError =>
  failure(504, 'Timeout', `Too large resource version: ${revision}, current: ${current}`, {
    retryAfterSeconds: 1,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  });
