import { isMaster } from '@perigee/kubernetes/authorization/attributes';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import { present } from '@perigee/schema/present';
import type { Actor } from '../http/served-api.ts';
import type { AccessControl } from '../rbac/access-control.ts';
import { refuseEscalation } from '../rbac/escalation.ts';
import { forbiddenRequest } from '../rbac/forbidden-request.ts';
import type { Write } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { forbidden } from '../status/object-refusals.ts';
import type { RequiredRights } from './kind-admission.ts';

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

/** The control plane acts on behalf of objects: users must not gain permissions by it. */
const refuseBeyondRights = (
  control: AccessControl,
  { user }: Actor,
  resource: ServedResource,
  write: Write,
  requiredRights: RequiredRights,
): void => {
  for (const { attributes, refusal } of requiredRights(user, resource, write)) {
    const { decision } = control.authorize(attributes);
    if (decision !== 'allow') throw forbidden(resource, write.name, refusal);
  }
};

/** Throws an `ApiError` if a user may not write an object because of its content. */
export const admitWrite = (
  control: AccessControl,
  actor: Actor,
  resource: ServedResource,
  write: Write,
  requiredRights?: RequiredRights,
): void => {
  const { user, verb } = actor;
  if (isMaster(user)) return;
  const { name, namespace = '', object, old } = write;
  if (old === undefined && verb !== 'create') refuseCreation(control, actor, resource, write);
  if (requiredRights) refuseBeyondRights(control, actor, resource, write, requiredRights);
  if (resource.group !== RBAC_GROUP) return;
  refuseEscalation(control, {
    user,
    plural: resource.plural,
    requestName: verb === 'create' ? '' : name,
    namespace,
    object,
    ...present({ old }),
  });
};
