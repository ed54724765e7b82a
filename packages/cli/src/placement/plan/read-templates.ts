import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { isForbidden, isNotServed, UnknownKindError } from '@perigee/kube/errors';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import type { Change, World } from '@perigee/scheduling/plan/world';
import { present } from '@perigee/schema/present';

interface KindInNamespace {
  readonly apiVersion: string;
  readonly kind: string;
  /** All namespaces unless given. */
  readonly namespace?: string | undefined;
}

const kindsOfBindings = ({ bindings }: World, namespace?: string): readonly KindInNamespace[] =>
  bindings
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .map(({ spec: { resource } }) => ({
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      namespace,
    }));

/** The kinds of which a change may concern any object; objects that it names itself have been read. */
const kindsConcernedBy = (change: Change, world: World): readonly KindInNamespace[] => {
  if (change.kind === 'trigger') return kindsOfBindings(world);
  if (change.kind !== 'put') return [];
  switch (change.of) {
    case 'policy': {
      const { metadata, spec } = change.object;
      const before = world.policies.find(
        (one) =>
          one.metadata.name === metadata.name && one.metadata.namespace === metadata.namespace,
      );
      return [...spec.resourceSelectors, ...(before?.spec.resourceSelectors ?? [])].map(
        ({ apiVersion, kind }) => ({ apiVersion, kind, namespace: metadata.namespace }),
      );
    }
    case 'override':
    case 'priorityClass':
      return world.policies.flatMap(({ metadata, spec }) =>
        spec.resourceSelectors.map(({ apiVersion, kind }) => ({
          apiVersion,
          kind,
          namespace: metadata.namespace,
        })),
      );
    case 'claim':
      return kindsOfBindings(world, change.object.metadata.namespace);
    default:
      return [];
  }
};

const keyOf = ({ apiVersion, kind, namespace = '' }: KindInNamespace): string =>
  `${apiVersion} ${kind} ${namespace}`;

/** Objects in lists have no apiVersion and kind. */
const withKind = (object: KubeObject, { apiVersion, kind }: KindInNamespace): Template =>
  ({ ...object, apiVersion, kind }) as Template;

/** The objects for which changes may create bindings, of all kinds that they concern. */
export const readTemplates = async (
  client: Client,
  mapper: RestMapper,
  changes: readonly Change[],
  world: World,
): Promise<readonly Template[]> => {
  const wantedKinds = new Map(
    changes.flatMap((change) => kindsConcernedBy(change, world)).map((one) => [keyOf(one), one]),
  );
  const templates: Template[] = [];
  for (const one of wantedKinds.values()) {
    try {
      const resource = await mapper.byKind(one.apiVersion, one.kind);
      const { namespace } = one;
      const within = present({
        namespace: resource.scope === 'Namespaced' ? namespace : undefined,
      });
      const { items } = await listAll(client, resource, within);
      templates.push(...items.map((item) => withKind(item as KubeObject, one)));
    } catch (error) {
      const isAbsent = error instanceof UnknownKindError || isNotServed(error);
      if (!isAbsent && !isForbidden(error)) throw error;
    }
  }
  return templates;
};
