import type { JsonObject } from '@perigee/api/json';
import { subresourcesOf } from '../discovery/subresources.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { modelName } from './model-name.ts';
import { COLLECTION_VERBS, ITEM_VERBS, operation, type Target } from './operations.ts';
import { NAMESPACE, nameOf, type Parameter, PRETTY } from './query-parameters.ts';
import { SCALE } from './scale-schemas.ts';

type Verbs = typeof COLLECTION_VERBS;

const pathItem = (
  verbs: Verbs,
  allowed: readonly string[],
  target: Target,
  parameters: readonly Parameter[],
): JsonObject | undefined => {
  const present = verbs.filter(({ verb }) => allowed.includes(verb));
  if (present.length === 0) return undefined;
  return {
    ...Object.fromEntries(present.map((verb) => [verb.method, operation(verb, target)])),
    parameters: parameters.map((parameter) => ({ ...parameter })),
  };
};

/** All paths under which a resource is served, in all namespaces and in one. */
export const resourcePaths = (
  resource: ServedResource,
): { readonly [path: string]: JsonObject } => {
  const { group, version, kind, plural, listKind, scope, verbs } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const isNamespaced = scope === 'Namespaced';
  const collection = isNamespaced
    ? `${root}/namespaces/{namespace}/${plural}`
    : `${root}/${plural}`;
  const item = `${collection}/{name}`;
  const title = isNamespaced ? `Namespaced${kind}` : kind;
  const target: Target = {
    resource,
    part: '',
    model: modelName(resource),
    listModel: modelName({ ...resource, kind: listKind }),
    title,
  };
  const common = isNamespaced ? [NAMESPACE, PRETTY] : [PRETTY];
  const ofItem = [nameOf(kind), ...common];

  const items: [string, JsonObject | undefined][] = [
    [collection, pathItem(COLLECTION_VERBS, verbs, target, common)],
    [item, pathItem(ITEM_VERBS, verbs, target, ofItem)],
  ];
  if (isNamespaced && verbs.includes('list')) {
    const everywhere = { ...target, title: `${kind}ForAllNamespaces` };
    items.push([`${root}/${plural}`, pathItem(COLLECTION_VERBS, ['list'], everywhere, [PRETTY])]);
  }
  for (const sub of subresourcesOf(resource)) {
    const part = {
      ...target,
      part: sub.name,
      model: sub.kind === 'Scale' ? SCALE : target.model,
      title: `${title}${sub.name.charAt(0).toUpperCase()}${sub.name.slice(1)}`,
    };
    items.push([`${item}/${sub.name}`, pathItem(ITEM_VERBS, sub.verbs, part, ofItem)]);
  }
  const served = items.filter((entry): entry is [string, JsonObject] => entry[1] !== undefined);
  return Object.fromEntries(served.sort(([a], [b]) => (a < b ? -1 : 1)));
};
