import { type FieldError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { formatTime } from '@perigee/schema/values/time';
import type { Action } from '../registry/action.ts';
import { bodyResource } from '../registry/body-resource.ts';
import { decodeInput } from '../registry/decode-input.ts';
import { getObject } from '../registry/get.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import { conflict, invalidObject } from '../status/object-refusals.ts';
import { badRequest, unknownResource } from '../status/request-refusals.ts';

const AN_HOUR = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;
/** The lifetime that pods request. Kubernetes extends such tokens for clients that read their file only once. */
const POD_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * AN_HOUR;

/** Name and namespace in the body must match the path. */
const checkPlace = (meta: JsonObject, name: string, namespace: string): readonly FieldError[] => {
  const [bodyNamespace, bodyName] = [textAt(meta, 'namespace'), textAt(meta, 'name')];
  if (bodyNamespace !== '' && bodyNamespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  const why = 'must match the service account name if specified';
  return bodyName === '' || bodyName === name ? [] : [invalid('metadata.name', bodyName, why)];
};

const checkSeconds = (seconds: number): readonly FieldError[] => {
  const wrong = (why: string) => [invalid('spec.expirationSeconds', seconds, why)];
  if (seconds < SHORTEST_SECONDS) return wrong('may not specify a duration less than 10 minutes');
  return seconds > LONGEST_SECONDS
    ? wrong('may not specify a duration larger than 2^32 seconds')
    : [];
};

/** A token for a service account; a server that issues none does not have the subresource. */
export const requestToken: Action = async (registry, accounts, request) => {
  const { issueToken } = registry.access ?? {};
  if (issueToken === undefined) throw unknownResource();
  const { name = '', namespace = '' } = request;
  const body = bodyResource(accounts, 'token');
  const refuse = (errors: readonly FieldError[], called: string): void => {
    if (errors.length > 0) throw invalidObject(body, called, errors);
  };
  const order = decodeInput(body, request.body, request);
  const meta = objectAt(order, 'metadata');
  refuse(checkPlace(meta, name, namespace), name);
  const { uid } = storedMetaOf(await getObject(registry, accounts, { name, namespace }));
  const requestedUid = textAt(meta, 'uid');
  if (requestedUid !== '' && requestedUid !== uid) {
    const why = `the UID in the token request (${requestedUid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: body.group, plural: body.kind }, name, why);
  }
  const spec = objectAt(order, 'spec');
  const expirationSeconds = numberAt(spec, 'expirationSeconds') ?? AN_HOUR;
  refuse(checkSeconds(expirationSeconds), '');
  const { boundObjectRef = null } = spec;
  const requestedAudiences = textsAt(spec, 'audiences');
  const isExtended =
    expirationSeconds === POD_SECONDS &&
    requestedAudiences.length === 0 &&
    textAt(objectAt(spec, 'boundObjectRef'), 'kind') === 'Pod';
  const { audiences, token } = await issueToken({
    namespace,
    serviceAccount: name,
    audiences: requestedAudiences,
    expirationSeconds: isExtended ? EXTENDED_SECONDS : expirationSeconds,
    ...(boundObjectRef === null ? {} : { boundObjectRef: objectAt(spec, 'boundObjectRef') }),
  });
  const creationTimestamp = formatTime(registry.clock.now());
  return {
    ...order,
    metadata: { name, namespace, uid, creationTimestamp },
    spec: { ...spec, audiences, expirationSeconds, boundObjectRef },
    status: {
      expirationTimestamp: formatTime(registry.clock.now() + expirationSeconds * 1000),
      token,
    },
  };
};
