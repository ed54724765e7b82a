import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { toValue } from '@perigee/schema/cel/from-json';
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
} from '@perigee/schema/cel/library/authorizers';
import { authorizerValue, resourceCheckValue } from '@perigee/schema/cel/library/authorizers';
import type { Value } from '@perigee/schema/cel/values';
import { StructValue } from '@perigee/schema/cel/values';
import type { JsonObject } from '@perigee/schema/json';
import { openAccess } from '../../access/access.ts';
import { namespaceOf, type Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import type { Attributes } from '../attributes.ts';
import { requestFacts } from '../request-facts.ts';
import type { AdmissionValues } from './admission-program.ts';
import { dynamicValue } from './dynamic-value.ts';
import { NAMESPACE_TYPE, namespaceFacts, REQUEST_TYPE } from './request-type.ts';

const userOf = ({ serviceAccount }: AuthorizationQuestion, user: UserInfo): UserInfo => {
  if (serviceAccount === undefined) return user;
  const { namespace, name } = serviceAccount;
  const groups = [
    'system:serviceaccounts',
    `system:serviceaccounts:${namespace}`,
    'system:authenticated',
  ];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
};

/** Authorizes the checks in expressions, by the authorizer of the server. */
const asker =
  ({ access = openAccess }: Registry, user: UserInfo) =>
  (question: AuthorizationQuestion): AuthorizationAnswer => {
    const { verb, path, group = '', resource = '', subresource = '' } = question;
    const { namespace = '', name = '' } = question;
    const who = { user: userOf(question, user), verb };
    const answer = access.allowed(
      path === undefined
        ? { ...who, apiGroup: group, apiVersion: '*', resource, subresource, namespace, name }
        : { ...who, path },
    );
    return answer instanceof Promise
      ? { allowed: false, error: 'who may do what cannot be told at once by this server' }
      : answer;
  };

const namespaceValue = (registry: Registry, { namespace, kind }: Attributes): Value => {
  if (namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return null;
  const entry = namespaceOf(registry, namespace);
  return entry === undefined ? null : toValue(namespaceFacts(entry.object), NAMESPACE_TYPE);
};

const requestValue = (facts: JsonObject): Value =>
  REQUEST_TYPE.kind === 'object'
    ? new StructValue(facts, REQUEST_TYPE, (json, type) =>
        type.kind === 'dyn' ? dynamicValue(json) : toValue(json, type),
      )
    : null;

/** Values of the variables for a request that expressions see as one to the given resource. */
export const admissionValues = (
  registry: Registry,
  attributes: Attributes,
  matchedResource: ServedResource,
): AdmissionValues => {
  const { user, resource, subresource, namespace, name } = attributes;
  const ask = asker(registry, user);
  const {
    uid: _,
    object: __,
    oldObject: ___,
    ...facts
  } = requestFacts(attributes, matchedResource, '');
  return {
    object: dynamicValue(attributes.object),
    oldObject: dynamicValue(attributes.old),
    request: requestValue(facts),
    namespaceObject: namespaceValue(registry, attributes),
    params: null,
    authorizer: authorizerValue(ask),
    requestResource: resourceCheckValue(ask, {
      group: resource.group,
      resource: resource.plural,
      subresource,
      namespace,
      name,
    }),
    variables: null,
  };
};
