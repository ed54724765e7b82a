import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { labelSelectorOf, matchesLabels } from '@perigee/api/values/label-selector';
import type { JsonObject } from '@perigee/schema/json';
import { PolicyProblem } from '../../errors.ts';
import { metaOf } from '../../registry/metadata.ts';
import { formOf } from '../../registry/object-form.ts';
import { readEntries } from '../../registry/read-entries.ts';
import { keyOf, prefixOf, type Registry, tableOf } from '../../registry/registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import type { Entry } from '../../store/store.ts';
import type { ParamKind } from './policy.ts';
import type { ParamRef } from './policy-binding.ts';

const kindText = ({ apiVersion, kind }: ParamKind): string =>
  `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;

export const paramResource = ({ resources }: Registry, paramKind: ParamKind): ServedResource => {
  const { apiVersion, kind } = paramKind;
  const servedResource = resources
    .values()
    .find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  if (servedResource !== undefined) return servedResource;
  throw new PolicyProblem(
    `failed to find resource referenced by paramKind: '${kindText(paramKind)}'`,
  );
};

/** The namespace of the params; undefined for cluster-scoped ones. */
const paramNamespace = (
  { scope }: ServedResource,
  ref: ParamRef,
  namespace: string,
): string | undefined => {
  if (scope === 'Cluster') {
    if (!ref.namespace) return undefined;
    throw new PolicyProblem(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    );
  }
  const requestedNamespace = ref.namespace || namespace;
  if (requestedNamespace !== '') return requestedNamespace;
  throw new PolicyProblem(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
};

const entriesOf = (
  registry: Registry,
  resource: ServedResource,
  { name, selector }: ParamRef,
  namespace: string | undefined,
): readonly Entry[] => {
  const table = tableOf(registry, resource);
  if (name) {
    const entry = registry.store.get(table, keyOf(namespace, name));
    return entry === undefined ? [] : [entry];
  }
  const labels = labelSelectorOf(selector ?? {});
  const prefix = prefixOf(namespace);
  const { entries } = registry.store.range(table, prefix === undefined ? {} : { prefix });
  return entries.filter(({ object }) => matchesLabels(labels, metaOf(object).labels));
};

/**
 * The params of a binding, one by one; `undefined`, once, for a policy without params. Throws a `PolicyProblem` if
 * required params are missing.
 */
export const paramsOf = async (
  registry: Registry,
  resource: ServedResource | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<readonly (JsonObject | undefined)[]> => {
  if (resource === undefined || ref === undefined) return [undefined];
  const where = paramNamespace(resource, ref, namespace);
  const entries = entriesOf(registry, resource, ref, where);
  if (entries.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new PolicyProblem(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  }
  await formOf(resource).versions?.convert(entries);
  return readEntries(registry, resource, entries);
};
