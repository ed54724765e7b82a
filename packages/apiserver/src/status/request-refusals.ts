import type { ApiError } from '@perigee/kube/errors';
import { goQuote } from '@perigee/schema/go-text';
import { detailsOf, inGroup, type NamedResource, refusal } from './refusal.ts';

export const badRequest = (message: string): ApiError => refusal(400, 'BadRequest', message);

export const unauthorized = (message = 'Unauthorized'): ApiError =>
  refusal(401, 'Unauthorized', message);

/** The group is served, but not this version, or no such resource in it. */
export const unknownResource = (): ApiError =>
  refusal(404, 'NotFound', 'the server could not find the requested resource', {});

/** The path is served, but not with this method. */
export const methodNotAllowed = (): ApiError =>
  refusal(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );

/** Refusal of an action that the resource does not support. */
export const actionNotSupported = ({ group, plural }: NamedResource, action: string): ApiError =>
  refusal(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind ${goQuote(inGroup(plural, group))}`,
    detailsOf('', group, plural),
  );

/** `accepted` are the supported media types, or a message. */
export const notAcceptable = (accepted: readonly string[] | string): ApiError =>
  refusal(
    406,
    'NotAcceptable',
    typeof accepted === 'string'
      ? accepted
      : `only the following media types are accepted: ${accepted.join(', ')}`,
  );

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  refusal(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const requestTooLarge = (limitBytes: number): ApiError =>
  refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`);

/** An object that is small enough in bytes, but has too many parts. */
export const tooMuch = (why: string): ApiError =>
  refusal(413, 'RequestEntityTooLarge', `the object is too large: ${why}`);
