import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { ResourceAttributes } from '@perigee/apiserver/rbac/attributes';
import type { Client } from '@perigee/kube/client/client';

interface ReviewSpec {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly resourceAttributes: { readonly [name: string]: string };
}

const SubjectAccessReview: ResourceKind<
  KubeObject & { readonly status?: { readonly allowed?: boolean } },
  WrittenObject & { readonly spec: ReviewSpec }
> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
};

/** Asks an API server whether somebody may do something. */
export const askAccess =
  (client: Client) =>
  async (wish: ResourceAttributes): Promise<boolean> => {
    const { user, verb, apiGroup: group, apiVersion: version, resource, namespace, name } = wish;
    const { name: who, ...rest } = user;
    const resourceAttributes = { verb, group, version, resource, namespace, name };
    const review = { metadata: {}, spec: { ...rest, user: who, resourceAttributes } };
    const { status } = await client.create(SubjectAccessReview, review);
    return status?.allowed === true;
  };
