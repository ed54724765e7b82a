import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import { wishesToFollow } from '../admission/perigee/operation-access.ts';
import { distinctSecrets, mayNotRead, wishToRead } from '../admission/perigee/secret-access.ts';
import { releasedSecrets } from '../admission/perigee/secret-uses.ts';
import type { Actor } from '../http/served-api.ts';
import type { AccessControl } from '../rbac/access-control.ts';
import { isMaster } from '../rbac/attributes.ts';
import { refuseEscalation } from '../rbac/escalation.ts';
import { forbiddenRequest } from '../rbac/forbidden-request.ts';
import type { Write } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { forbidden } from '../status/object-refusals.ts';

/** An update or an apply that finds nothing creates, and that takes the right to create. */
const refuseCreation = (
  control: AccessControl,
  { user }: Actor,
  { group, version, plural }: ServedResource,
  { name, namespace = '' }: Write,
): void => {
  const attributes = {
    user,
    verb: 'create',
    apiGroup: group,
    apiVersion: version,
    resource: plural,
    subresource: '',
    name,
    namespace,
  };
  const { decision, reason } = control.authorize(attributes);
  if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
};

/** The control plane uses a Secret for whoever names it: nobody gets it to use what they may not read. */
const refuseUnreadableSecrets = (
  control: AccessControl,
  { user }: Actor,
  resource: ServedResource,
  { name, object, old }: Write,
): void => {
  for (const secret of distinctSecrets(releasedSecrets(resource, object, old))) {
    const { decision } = control.authorize(wishToRead(user, secret));
    if (decision !== 'allow') throw forbidden(resource, name, mayNotRead(user, secret));
  }
};

/** The state of an operation shows in those that run after it. */
const refuseUnreadableOperations = (
  control: AccessControl,
  { user }: Actor,
  resource: ServedResource,
  { name, object, old }: Write,
): void => {
  for (const { wish, refusal } of wishesToFollow(user, resource, object, old)) {
    if (control.authorize(wish).decision !== 'allow') throw forbidden(resource, name, refusal);
  }
};

/** Throws an `ApiError` when a user may not write an object, which only the object tells. */
export const admitWrite = (
  control: AccessControl,
  actor: Actor,
  resource: ServedResource,
  write: Write,
): void => {
  const { user, verb } = actor;
  if (isMaster(user)) return;
  const { name, namespace = '', object, old } = write;
  if (old === undefined && verb !== 'create') refuseCreation(control, actor, resource, write);
  refuseUnreadableSecrets(control, actor, resource, write);
  refuseUnreadableOperations(control, actor, resource, write);
  if (resource.group !== RBAC_GROUP) return;
  refuseEscalation(control, {
    user,
    plural: resource.plural,
    requestName: verb === 'create' ? '' : name,
    namespace,
    object,
    ...(old === undefined ? {} : { old }),
  });
};
