import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { forbidden, notFound } from '../status/object-refusals.ts';
import { metaOf } from './metadata.ts';
import { namespaceOf, type Registry } from './registry.ts';

/** A namespaced object can be created only in a namespace that exists and is there to stay. */
export const checkNamespaceOpen = (
  registry: Registry,
  resource: ServedResource,
  object: JsonObject,
): void => {
  const { name = '', namespace } = metaOf(object);
  if (resource.scope === 'Cluster' || namespace === undefined) return;
  const entry = namespaceOf(registry, namespace);
  if (entry === undefined) throw notFound(Namespace, namespace);
  if (metaOf(entry.object).deletionTimestamp === undefined) return;
  const message = `namespace ${namespace} is being terminated`;
  throw forbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
  );
};
