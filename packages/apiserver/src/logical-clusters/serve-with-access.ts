import type { ClusterAccess } from '../authn/cluster-access.ts';
import { openIdDocuments } from '../authn/open-id-documents.ts';
import type { ServedApi } from '../http/served-api.ts';
import { admitWrite } from './admit-write.ts';
import type { RequiredRights } from './kind-admission.ts';

/**
 * Adds the authentication and authorization of a cluster to its API.
 * @param url URL of the API, such as `https://127.0.0.1:6443/clusters/member1`.
 * @param requiredRights Permissions that a write takes beside its verb; none by default.
 */
export const serveWithAccess = (
  api: ServedApi,
  { authenticator, control, letIn, letInAs, identify, refuse }: ClusterAccess,
  url: string,
  requiredRights?: RequiredRights,
): ServedApi => {
  // Rarely requested.
  let openId: ReturnType<typeof openIdDocuments> | undefined;
  return {
    ...api,
    authorize: letIn,
    authorizeAs: letInAs,
    identify,
    absent: (name) => ({ ...api, authorize: (facts) => refuse(name, facts) }),
    admit: (actor, resource, write) => admitWrite(control, actor, resource, write, requiredRights),
    documents: (path, accept) => {
      openId ??= openIdDocuments(authenticator.issuer, url);
      return openId.get(path) ?? api.documents(path, accept);
    },
  };
};
