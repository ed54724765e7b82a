import type { JsonObject } from '@perigee/schema/json';
import type { Action, ActionRequest } from '../registry/action.ts';
import { type CreateRequest, createObject } from '../registry/create.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from '../reviews/access-reviews.ts';
import { selfSubjectReview, selfSubjectRulesReview, tokenReview } from '../reviews/self-reviews.ts';
import { methodNotAllowed } from '../status/request-refusals.ts';
import { bindPod } from './bind-pod.ts';
import { evictPod } from './evict-pod.ts';
import { requestToken } from './request-token.ts';

/** POST requests that store nothing, by subresource; the empty name is the kind itself. */
type Actions = { readonly [subresource: string]: Action };

const ACTIONS: ReadonlyMap<string, Actions> = new Map<string, Actions>([
  ['/Binding', { '': bindPod }],
  ['/Pod', { binding: bindPod, eviction: evictPod }],
  ['/ServiceAccount', { token: requestToken }],
  ['authentication.k8s.io/SelfSubjectReview', { '': selfSubjectReview }],
  ['authentication.k8s.io/TokenReview', { '': tokenReview }],
  ['authorization.k8s.io/SelfSubjectAccessReview', { '': selfSubjectAccessReview }],
  ['authorization.k8s.io/SelfSubjectRulesReview', { '': selfSubjectRulesReview }],
  ['authorization.k8s.io/SubjectAccessReview', { '': subjectAccessReview }],
  ['authorization.k8s.io/LocalSubjectAccessReview', { '': localSubjectAccessReview }],
]);

/** The action of a subresource; undefined for stored objects. */
const actionOf = (
  { group, kind, origin }: ServedResource,
  subresource: string,
): Action | undefined =>
  origin === 'built-in' ? ACTIONS.get(`${group}/${kind}`)?.[subresource] : undefined;

/** Creates an object, or runs the action of its resource. */
export const createOrAct = async (
  registry: Registry,
  resource: ServedResource,
  request: CreateRequest & ActionRequest & { readonly subresource?: string },
): Promise<JsonObject> => {
  const { subresource = '' } = request;
  const action = actionOf(resource, subresource);
  if (action !== undefined) {
    // Writes of an action to other objects are writes of the server, without admission.
    const { admission, ...within } = registry;
    const actionRequest = { ...request, name: request.name ?? '' };
    const body = (await admission?.admitAction(registry, resource, actionRequest)) ?? request.body;
    return action(within, resource, { ...request, body });
  }
  if (subresource !== '') throw methodNotAllowed();
  return createObject(registry, resource, request);
};
