import type { Client } from '@perigee/kube/client/client';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { ApiError } from '@perigee/kube/errors';
import { SelfSubjectAccessReview } from '@perigee/kubernetes/authorization/self-subject-access-review';
import type { Suggestion } from '@perigee/scheduling/suggest/suggestion';
import type { JsonObject } from '@perigee/schema/json';

type SuggestedChange = Suggestion['changes'][number];

const targetOf = ({ target, manifest }: SuggestedChange) => {
  if (target !== undefined) return { ...target, verb: 'patch' };
  if (manifest === undefined) return undefined;
  const { apiVersion, kind, metadata } = manifest as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
  };
  return { apiVersion, kind, ...metadata, verb: 'create' };
};

/** Asks the server by an access review whether the user may make a change; undefined if it gives no answer. */
export const mayDo = async (
  client: Client,
  mapper: RestMapper,
  change: SuggestedChange,
): Promise<boolean | undefined> => {
  const target = targetOf(change);
  if (target === undefined) return undefined;
  const { apiVersion, kind, namespace = '', name, verb } = target;
  const { group, plural } = await mapper.byKind(apiVersion, kind);
  const resourceAttributes = { group, resource: plural, namespace, name, verb };
  try {
    const review = await client.create(SelfSubjectAccessReview, {
      metadata: {},
      spec: { resourceAttributes },
    });
    return review.status?.allowed === true;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};
