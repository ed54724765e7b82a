import type { ResourceSelector } from '@perigee/api/kinds/placement/resource-selector';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { specSelects } from '@perigee/api/values/label-selector';

/** Precision of a selector's match: 3 by name, 2 by labels, 1 by kind, 0 for none. */
export type Precision = 0 | 1 | 2 | 3;

type Selectable = Pick<KubeObject, 'apiVersion' | 'kind'> & {
  readonly metadata: Pick<KubeObject['metadata'], 'name' | 'namespace' | 'labels'>;
};

const precisionOf = (selector: ResourceSelector, object: Selectable): Precision => {
  const { apiVersion, kind, namespace, name, labelSelector } = selector;
  const { metadata } = object;
  if (apiVersion !== object.apiVersion || kind !== object.kind) return 0;
  if (namespace && namespace !== (metadata.namespace ?? '')) return 0;
  if (name) return name === metadata.name ? 3 : 0;
  if (labelSelector === undefined) return 1;
  return specSelects(labelSelector, metadata.labels) ? 2 : 0;
};

/** The highest precision among the selectors. */
export const bestMatch = (selectors: readonly ResourceSelector[], object: Selectable): Precision =>
  Math.max(0, ...selectors.map((selector) => precisionOf(selector, object))) as Precision;
