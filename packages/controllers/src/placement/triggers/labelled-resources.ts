import type {
  ScheduleTrigger,
  TargetSelector,
} from '@perigee/api/kinds/placement/schedule-trigger';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { formatLabelSelector, labelSelectorOf } from '@perigee/api/values/label-selector';
import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { UnknownKindError } from '@perigee/kube/errors';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { targetKey } from '@perigee/scheduling/placement/triggers/select-targets';
import { present } from '@perigee/schema/present';

interface Access {
  readonly client: Client;
  readonly signal?: AbortSignal;
}

/** True if the resource of a binding matches a label selector. */
export type HasLabels = (selector: TargetSelector, binding: Binding) => boolean;

/** A page at a time: only the names are kept. */
const PAGE = 500;

const kindsOf = (bindings: Iterable<Binding>, { apiVersion, kind }: TargetSelector) => {
  const kinds = new Map<string, { readonly apiVersion: string; readonly kind: string }>();
  for (const { spec } of bindings) {
    const { resource } = spec;
    if (apiVersion !== undefined && apiVersion !== resource.apiVersion) continue;
    if (kind !== undefined && kind !== resource.kind) continue;
    kinds.set(`${resource.apiVersion} ${resource.kind}`, resource);
  }
  return kinds.values();
};

const keyOf = (kind: string, apiVersion: string, { metadata }: KubeObject): string => {
  const { namespace, name } = metadata;
  return targetKey({ apiVersion, kind, name, ...present({ namespace }) });
};

const listKeys = async (
  selector: TargetSelector,
  bindings: Iterable<Binding>,
  mapper: RestMapper,
  { client, ...call }: Access,
): Promise<ReadonlySet<string>> => {
  const labelSelector = formatLabelSelector(labelSelectorOf(selector.labelSelector));
  const keys = new Set<string>();
  for (const { apiVersion, kind } of kindsOf(bindings, selector)) {
    const resource = await mapper.byKind(apiVersion, kind, call).catch((error: unknown) => {
      if (error instanceof UnknownKindError) return undefined;
      throw error;
    });
    if (resource === undefined) continue;
    const options = { labelSelector, limit: PAGE, ...call };
    for await (const { items } of listPages(client, resource, options)) {
      for (const item of items) keys.add(keyOf(kind, apiVersion, item));
    }
  }
  return keys;
};

/** Equal for selectors of the same meaning: each version of a trigger that is read has objects of its own. */
const textOf = ({ apiVersion, kind, namespaces, labelSelector }: TargetSelector): string =>
  JSON.stringify([
    apiVersion ?? null,
    kind ?? null,
    namespaces ?? null,
    formatLabelSelector(labelSelectorOf(labelSelector)),
  ]);

/**
 * Lists the resources with the labels that the selectors of a trigger require. Bindings do not have the
 * labels of their resources.
 */
export const findLabelled = async (
  { targetSelectors = [] }: ScheduleTrigger['spec'],
  within: (namespaces: readonly string[] | undefined) => Iterable<Binding>,
  access: Access,
): Promise<HasLabels> => {
  const mapper = new RestMapper(access.client);
  const keysBySelector = new Map<string, ReadonlySet<string>>();
  const knownKeys = new WeakMap<TargetSelector, ReadonlySet<string>>();
  for (const selector of targetSelectors) {
    if (selector.labelSelector === undefined) continue;
    keysBySelector.set(
      textOf(selector),
      await listKeys(selector, within(selector.namespaces), mapper, access),
    );
  }
  const keysOf = (selector: TargetSelector): ReadonlySet<string> | undefined => {
    const keys = knownKeys.get(selector) ?? keysBySelector.get(textOf(selector));
    if (keys !== undefined) knownKeys.set(selector, keys);
    return keys;
  };
  return (selector, { spec }) =>
    selector.labelSelector === undefined ||
    keysOf(selector)?.has(targetKey(spec.resource)) === true;
};
