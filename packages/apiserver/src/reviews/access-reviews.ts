import type { Attributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { type FieldError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { openAccess } from '../access/access.ts';
import { userIn } from '../access/user-info.ts';
import type { Action } from '../registry/action.ts';
import { decodeInput } from '../registry/decode-input.ts';
import { metaOf } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { invalidObject } from '../status/object-refusals.ts';

const GROUP = { group: 'authorization.k8s.io', kind: '' };

/** A path as kube-apiserver prints it: by the names of its Go fields. */
const shownPath = (path: JsonObject): JsonObject => ({
  Path: textAt(path, 'path'),
  Verb: textAt(path, 'verb'),
});

const checkSpec = (spec: JsonObject): readonly FieldError[] => {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const value = shownPath(objectAt(spec, 'nonResourceAttributes'));
    const why = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', value, why)];
  }
  return resourceAttributes === undefined && nonResourceAttributes === undefined
    ? [
        invalid(
          'spec.resourceAttributes',
          null,
          'exactly one of nonResourceAttributes or resourceAttributes must be specified',
        ),
      ]
    : [];
};

const checkSubject = (spec: JsonObject): readonly FieldError[] =>
  textAt(spec, 'user') === '' && textsAt(spec, 'groups').length === 0
    ? [invalid('spec.user', '', 'at least one of user or group must be specified')]
    : [];

const checkLocal = (spec: JsonObject, namespace: string): readonly FieldError[] => {
  if (spec.nonResourceAttributes !== undefined) {
    const value = shownPath(objectAt(spec, 'nonResourceAttributes'));
    return [invalid('spec.nonResourceAttributes', value, 'disallowed on this kind of request')];
  }
  const attributesNamespace = textAt(objectAt(spec, 'resourceAttributes'), 'namespace');
  return attributesNamespace === namespace
    ? []
    : [
        invalid(
          'spec.resourceAttributes.namespace',
          attributesNamespace,
          'must match metadata.namespace',
        ),
      ];
};

const attributesOf = (spec: JsonObject, user: UserInfo): Attributes => {
  if (spec.nonResourceAttributes !== undefined) {
    const path = objectAt(spec, 'nonResourceAttributes');
    return { user, verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  }
  const attributes = objectAt(spec, 'resourceAttributes');
  return {
    user,
    verb: textAt(attributes, 'verb'),
    apiGroup: textAt(attributes, 'group'),
    apiVersion: textAt(attributes, 'version'),
    resource: textAt(attributes, 'resource'),
    subresource: textAt(attributes, 'subresource'),
    name: textAt(attributes, 'name'),
    namespace: textAt(attributes, 'namespace'),
  };
};

const answer = async (
  registry: Registry,
  review: JsonObject,
  user: UserInfo,
): Promise<JsonObject> => {
  const { allowed } = registry.access ?? openAccess;
  const status = await allowed.call(
    registry.access ?? openAccess,
    attributesOf(objectAt(review, 'spec'), user),
  );
  return { ...review, status: { ...status } };
};

const refuse = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw invalidObject(GROUP, '', errors);
};

const metadataOf = (review: JsonObject): JsonObject => {
  const { name, ...rest } = metaOf(review);
  refuse(name ? [invalid('metadata', { name }, 'must be empty')] : []);
  return { ...review, metadata: rest as JsonObject };
};

/** Decides on a request of the user itself. */
export const selfSubjectAccessReview: Action = async (registry, resource, request) => {
  const review = metadataOf(decodeInput(resource, request.body, request));
  refuse(checkSpec(objectAt(review, 'spec')));
  return answer(registry, review, request.user);
};

/** Decides on a request of any user. */
export const subjectAccessReview: Action = async (registry, resource, request) => {
  const review = metadataOf(decodeInput(resource, request.body, request));
  const spec = objectAt(review, 'spec');
  refuse([...checkSpec(spec), ...checkSubject(spec)]);
  return answer(registry, review, userIn(spec));
};

/** Decides on a request of any user in this namespace. */
export const localSubjectAccessReview: Action = async (registry, resource, request) => {
  const review = metadataOf(decodeInput(resource, request.body, request));
  const { namespace = '' } = request;
  const spec = objectAt(review, 'spec');
  refuse([...checkSpec(spec), ...checkSubject(spec), ...checkLocal(spec, namespace)]);
  const metadata = { ...objectAt(review, 'metadata'), namespace };
  return answer(registry, { ...review, metadata }, userIn(spec));
};
