import type { Client } from '@perigee/kube/client/client';
import type { ResourceAttributes } from '@perigee/kubernetes/authorization/attributes';
import { SubjectAccessReview } from '@perigee/kubernetes/authorization/subject-access-review';

/** Asks the API server by a SubjectAccessReview. */
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
