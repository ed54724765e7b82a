import type { JsonObject } from '@perigee/schema/json';
import { type Subresource, subresourcesOf } from '../discovery/subresources.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { connectPathItem, isConnection } from './connect-path-item.ts';
import { modelName } from './model-name.ts';
import { type OpenApiSchema, refTo } from './open-api-schema.ts';
import {
  COLLECTION_VERBS,
  ITEM_VERBS,
  operation,
  SUBRESOURCE_VERBS,
  type Target,
  type Verb,
} from './operations.ts';
import { NAMESPACE, nameOf, type Parameter, PRETTY } from './query-parameters.ts';
import { SCALE } from './scale-schemas.ts';

const pathItem = (verbs: readonly Verb[], allowed: readonly string[], target: Target): JsonObject =>
  Object.fromEntries(
    verbs
      .filter(({ verb }) => allowed.includes(verb))
      .map((verb) => [verb.method, operation(verb, target)]),
  );

/** A document has the kinds of one version, and Scale; other kinds are referenced by name only. */
const subresourceModel = (sub: Subresource, resource: ServedResource): OpenApiSchema => {
  const { name, group, version, kind } = sub;
  if (name === 'log') return { type: 'string' };
  if (kind === 'Scale') return refTo(SCALE);
  return group === resource.group && version === resource.version
    ? refTo(modelName({ ...sub, origin: resource.origin }))
    : { type: 'object', 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const subresourceItem = (sub: Subresource, target: Target): JsonObject => {
  const { resource } = target;
  const title = `${target.title}${capital(sub.name)}`;
  if (isConnection(sub)) return connectPathItem(resource, sub, title);
  const { group, version, kind } = resource.origin === 'crd' ? resource : sub;
  return pathItem(SUBRESOURCE_VERBS, sub.verbs, {
    ...target,
    part: sub.name,
    gvk: { group, version, kind },
    model: subresourceModel(sub, resource),
    title,
  });
};

/** All paths under which a resource is served, in all namespaces and in one. */
export const resourcePaths = (
  resource: ServedResource,
): { readonly [path: string]: JsonObject } => {
  const { group, version, kind, plural, listKind, scope, verbs, origin } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const isNamespaced = scope === 'Namespaced';
  const collection = isNamespaced
    ? `${root}/namespaces/{namespace}/${plural}`
    : `${root}/${plural}`;
  const item = `${collection}/{name}`;
  const target: Target = {
    resource,
    part: '',
    gvk: { group, version, kind },
    model: refTo(modelName({ group, version, kind, origin })),
    listModel: refTo(modelName({ group, version, kind: listKind, origin })),
    title: isNamespaced ? `Namespaced${kind}` : kind,
  };
  const paths: { [path: string]: JsonObject } = {};
  const add = (path: string, operations: JsonObject, parameters: readonly Parameter[]): void => {
    if (Object.keys(operations).length === 0) return;
    paths[path] = { ...operations, parameters: parameters.map((parameter) => ({ ...parameter })) };
  };
  const common = isNamespaced ? [NAMESPACE, PRETTY] : [PRETTY];
  const ofItem = [nameOf(kind), ...common];
  add(collection, pathItem(COLLECTION_VERBS, verbs, target), common);
  add(item, pathItem(ITEM_VERBS, verbs, target), ofItem);
  if (isNamespaced && verbs.includes('list')) {
    const everywhere = { ...target, title: `${kind}ForAllNamespaces` };
    add(`${root}/${plural}`, pathItem(COLLECTION_VERBS, ['list'], everywhere), [PRETTY]);
  }
  for (const sub of subresourcesOf(resource)) {
    add(`${item}/${sub.name}`, subresourceItem(sub, target), ofItem);
  }
  return paths;
};
