import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { strangerProblem } from '../codec/negotiate/stranger-problem.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { unnamedError } from './check-target.ts';
import { metaOf } from './metadata.ts';

const textOf = (object: JsonObject, name: 'apiVersion' | 'kind'): string => {
  const value = object[name];
  return typeof value === 'string' ? value : '';
};

const checkCustom = (resource: ServedResource, object: JsonObject): void => {
  const [apiVersion, kind] = [textOf(object, 'apiVersion'), textOf(object, 'kind')];
  const expectedVersion = apiVersionOf(resource);
  if (kind === '') {
    const { kind: expected, version } = resource;
    const why = `Object 'Kind' is missing in '${JSON.stringify(object)}'`;
    throw badRequest(
      `${expected} in version "${version}" cannot be handled as a ${expected}: ${why}`,
    );
  }
  if (apiVersion === '') {
    throw badRequest("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  }
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  const { name = '' } = metaOf(object);
  const problems = [
    ...(kind === resource.kind ? [] : [invalid('kind', kind, `must be ${resource.kind}`)]),
    ...(apiVersion === expectedVersion
      ? []
      : [invalid('apiVersion', apiVersion, `must be ${expectedVersion}`)]),
  ];
  if (problems.length > 0) throw invalidObject({ group, kind }, name, problems);
};

const checkBuiltin = (resource: ServedResource, object: JsonObject, name: string): void => {
  const apiVersion = textOf(object, 'apiVersion');
  // Without a version kube-apiserver reads nothing of it, and so no name.
  if (apiVersion === '') throw unnamedError(name);
  const why = strangerProblem(apiVersion, textOf(object, 'kind') || resource.kind, resource);
  if (why !== undefined) throw badRequest(why);
};

/**
 * The result of a JSON or merge patch with the type of its resource, since the patch may have removed or changed
 * it. A strategic patch cannot: its type is ignored.
 */
export const withPatchedType = (
  resource: ServedResource,
  object: JsonObject,
  { name, type }: { readonly name: string; readonly type: string },
): JsonObject => {
  if (type !== 'strategic') {
    if (resource.origin === 'crd') checkCustom(resource, object);
    else checkBuiltin(resource, object, name);
  }
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
};
