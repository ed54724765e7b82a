import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { JsonObject } from '@perigee/schema/json';

export type Template = KubeObject & JsonObject;
export type TemplateKind = ResourceKind<Template, Template>;

export interface FoundTemplate {
  readonly kind: TemplateKind;
  readonly template: Template;
}

interface Access {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Reads the templates of bindings from the server: a cached copy may be older than the binding. */
export class Templates {
  readonly #mappers = new WeakMap<Client, RestMapper>();

  /** Undefined when the template is gone; its binding will follow. */
  async read(
    { apiVersion, kind, namespace, name }: BoundResource,
    { client, signal }: Access,
  ): Promise<FoundTemplate | undefined> {
    const mapping = await this.#mapperOf(client).byKind(apiVersion, kind, { signal });
    const { group, version, plural, scope } = mapping;
    const resource: TemplateKind = { group, version, kind, plural, scope };
    const ref = scope === 'Cluster' || namespace === undefined ? { name } : { namespace, name };
    const template = await getOrUndefined(client, resource, ref, { signal });
    return template && { kind: resource, template };
  }

  #mapperOf(client: Client): RestMapper {
    const mapper = this.#mappers.get(client) ?? new RestMapper(client);
    this.#mappers.set(client, mapper);
    return mapper;
  }
}
