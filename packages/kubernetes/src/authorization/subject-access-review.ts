import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

interface ReviewSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly resourceAttributes?: { readonly [name: string]: string };
  readonly nonResourceAttributes?: { readonly [name: string]: string };
}

export type SubjectAccessReview = KubeObject & {
  readonly status?: { readonly allowed?: boolean };
};

export const SubjectAccessReview: ResourceKind<
  SubjectAccessReview,
  WrittenObject & { readonly spec: ReviewSpec }
> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
};
