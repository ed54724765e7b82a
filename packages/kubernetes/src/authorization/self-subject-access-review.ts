import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { SubjectAccessReview } from './subject-access-review.ts';

/** Asks for the rights of the user of the request. */
export const SelfSubjectAccessReview: ResourceKind<
  SubjectAccessReview,
  WrittenObject & {
    readonly spec: { readonly resourceAttributes: { readonly [name: string]: string } };
  }
> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  scope: 'Cluster',
};
