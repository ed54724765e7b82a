import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from '../reviews/access-reviews.ts';
import { selfSubjectReview, selfSubjectRulesReview, tokenReview } from '../reviews/self-reviews.ts';
import type { Action } from './action.ts';
import { bindPod } from './bind-pod.ts';
import { evictPod } from './evict-pod.ts';
import { requestToken } from './request-token.ts';

/** What a POST does that stores nothing, by the subresource; the empty name is the kind itself. */
export type Actions = { readonly [subresource: string]: Action };

const ACTIONS: ReadonlyMap<string, Actions> = new Map<string, Actions>([
  ['core.v1.Binding', { '': bindPod }],
  ['core.v1.Pod', { binding: bindPod, eviction: evictPod }],
  ['core.v1.ServiceAccount', { token: requestToken }],
  ['authentication.v1.SelfSubjectReview', { '': selfSubjectReview }],
  ['authentication.v1.TokenReview', { '': tokenReview }],
  ['authorization.v1.SelfSubjectAccessReview', { '': selfSubjectAccessReview }],
  ['authorization.v1.SelfSubjectRulesReview', { '': selfSubjectRulesReview }],
  ['authorization.v1.SubjectAccessReview', { '': subjectAccessReview }],
  ['authorization.v1.LocalSubjectAccessReview', { '': localSubjectAccessReview }],
]);

export const actionsOf = (typeName: string): Actions | undefined => ACTIONS.get(typeName);
