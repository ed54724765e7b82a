import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { ApiError, UnknownKindError } from '@perigee/kube/errors';

/** Reads the templates of bindings from an API server. */
export class ServedTemplates {
  readonly #client: Client;
  readonly #mapper: RestMapper;

  constructor(client: Client) {
    this.#client = client;
    this.#mapper = new RestMapper(client);
  }

  async resourceOf(apiVersion: string, kind: string): Promise<ResourceKind | undefined> {
    try {
      return await this.#mapper.byKind(apiVersion, kind);
    } catch (error) {
      if (error instanceof UnknownKindError) return undefined;
      throw error;
    }
  }

  /** Undefined also for a kind that the webhook may not read. */
  async read(resource: BoundResource): Promise<KubeObject | undefined> {
    const { apiVersion, kind, namespace, name } = resource;
    const resourceKind = await this.resourceOf(apiVersion, kind);
    if (resourceKind === undefined) return undefined;
    const at = namespace === undefined ? { name } : { namespace, name };
    try {
      return await getOrUndefined(this.#client, resourceKind as ResourceKind<KubeObject>, at);
    } catch (error) {
      if (error instanceof ApiError && error.code === 403) return undefined;
      throw error;
    }
  }
}
