import type { Action } from '../registry/action.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from '../reviews/access-reviews.ts';
import { selfSubjectReview, selfSubjectRulesReview, tokenReview } from '../reviews/self-reviews.ts';
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

/** By the subresource that is posted to; undefined for what is stored. */
export const actionOf = (
  { group, kind, origin }: ServedResource,
  subresource: string,
): Action | undefined =>
  origin === 'built-in' ? ACTIONS.get(`${group}/${kind}`)?.[subresource] : undefined;
