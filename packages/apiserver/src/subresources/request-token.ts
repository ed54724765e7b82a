import { invalid } from '@perigee/api/errors';
import { numberAt, objectAt, textsAt } from '../kinds/fields.ts';
import { decodeInput } from '../registry/decode-input.ts';
import { getObject } from '../registry/get.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { unknownResource } from '../status/request-refusals.ts';
import type { Action } from './action.ts';
import { bodyResource } from './body-resource.ts';

const AN_HOUR = 3600;
const SHORTEST_SECONDS = 600;

/** A token for a service account; a server that issues none does not have the subresource. */
export const requestToken: Action = async (registry, accounts, request) => {
  const { issueToken } = registry.access ?? {};
  if (issueToken === undefined) throw unknownResource();
  const { name = '', namespace = '' } = request;
  const body = bodyResource(accounts, 'token');
  const order = decodeInput(body, request.body, request);
  const account = storedMetaOf(await getObject(registry, accounts, { name, namespace }));
  const spec = objectAt(order, 'spec');
  const expirationSeconds = numberAt(spec, 'expirationSeconds') ?? AN_HOUR;
  if (expirationSeconds < SHORTEST_SECONDS) {
    const why = 'may not specify a duration less than 10 minutes';
    throw invalidObject(body, '', [invalid('spec.expirationSeconds', expirationSeconds, why)]);
  }
  const status = await issueToken({
    namespace,
    serviceAccount: name,
    uid: account.uid,
    audiences: textsAt(spec, 'audiences'),
    expirationSeconds,
  });
  const { creationTimestamp } = account;
  return {
    ...order,
    metadata: { name, namespace, creationTimestamp },
    spec: { ...spec, expirationSeconds },
    status: { ...status },
  };
};
