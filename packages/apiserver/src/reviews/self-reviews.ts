import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { formatTime } from '@perigee/schema/values/time';
import { openAccess } from '../access/access.ts';
import { shownUser } from '../access/user-info.ts';
import type { Action } from '../registry/action.ts';
import { decodeInput } from '../registry/decode-input.ts';
import { badRequest } from '../status/request-refusals.ts';

/** Returns the user of the request (`kubectl auth whoami`). */
export const selfSubjectReview: Action = async ({ clock }, resource, request) => ({
  ...decodeInput(resource, request.body, request),
  metadata: { creationTimestamp: formatTime(clock.now()) },
  status: { userInfo: shownUser(request.user) },
});

/** Returns the rules of the user (`kubectl auth can-i --list`). */
export const selfSubjectRulesReview: Action = async (registry, resource, request) => {
  const review = decodeInput(resource, request.body, request);
  const namespace = textAt(objectAt(review, 'spec'), 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const access = registry.access ?? openAccess;
  const rules = await access.rulesFor(request.user, namespace);
  return { ...review, spec: {}, status: { ...rules } as unknown as JsonObject };
};

/** Returns the user of a token. */
export const tokenReview: Action = async (registry, resource, request) => {
  const review = decodeInput(resource, request.body, request);
  const spec = objectAt(review, 'spec');
  const token = textAt(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const access = registry.access ?? openAccess;
  const audiences = textsAt(spec, 'audiences');
  const owner = await access.ownerOf(token, audiences);
  if ('problem' in owner) return { ...review, status: { user: {}, error: owner.problem } };
  const status = { authenticated: true, user: shownUser(owner.user) };
  const matchingAudiences = owner.audiences ?? audiences;
  return {
    ...review,
    status: matchingAudiences.length === 0 ? status : { ...status, audiences: matchingAudiences },
  };
};
