import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { nearNames } from '@perigee/api/values/near-names';
import { UnknownKindError } from '../errors.ts';
import type { CallOptions, Client } from './client.ts';
import type { ApiResource } from './discovery.ts';

import { orAborted } from './or-aborted.ts';
import { findByKind, findByName } from './resource-lookup.ts';

type Find = (resources: readonly ApiResource[]) => ApiResource | undefined;

const suggestion = (names: readonly string[]): string =>
  names.length === 0
    ? 'see which kinds there are, or install the CustomResourceDefinition of this one'
    : `did you mean ${names.join(' or ')}?`;

/**
 * Turns the names of kinds into what a client needs to speak of them. Discovery is kept, and asked for
 * once more when a name is not in it: the kind may have been installed since.
 */
export class RestMapper {
  readonly #client: Pick<Client, 'discover'>;
  #resources: readonly ApiResource[] | undefined;
  #asking: Promise<readonly ApiResource[]> | undefined;

  constructor(client: Pick<Client, 'discover'>) {
    this.#client = client;
  }

  /** The resource of an object, by its apiVersion and kind. */
  async byKind(apiVersion: string, kind: string, options?: CallOptions): Promise<ApiResource> {
    const match = await this.#find((all) => findByKind(all, apiVersion, kind), options);
    if (match) return match;
    const all = this.#resources ?? [];
    const elsewhere = all
      .filter((r) => r.kind === kind)
      .map((r) => `${r.kind} in ${apiVersionOf(r)}`);
    const near = nearNames(
      kind,
      all.map((r) => r.kind),
    );
    const hint = suggestion(elsewhere.length > 0 ? elsewhere : near);
    throw new UnknownKindError(
      `the server does not serve the kind ${kind} in ${apiVersion}; ${hint}`,
    );
  }

  /** The resource that a user means: by kind, plural, singular or short name, with group and version or without. */
  async byName(name: string, options?: CallOptions): Promise<ApiResource> {
    const match = await this.#find((all) => findByName(all, name), options);
    if (match) return match;
    const names = (this.#resources ?? []).flatMap((r) => [r.plural, r.singular, ...r.shortNames]);
    const hint = suggestion(
      nearNames(
        name.split('.')[0] ?? '',
        names.filter((n) => n !== ''),
      ),
    );
    throw new UnknownKindError(`the server does not serve a resource named "${name}"; ${hint}`);
  }

  async #find(find: Find, options?: CallOptions): Promise<ApiResource | undefined> {
    const cachedMatch = this.#resources && find(this.#resources);
    return cachedMatch ?? find(await this.#refresh(options));
  }

  /** Those who ask at the same time share one answer, so nobody's signal may end it for the others. */
  async #refresh({ signal }: CallOptions = {}): Promise<readonly ApiResource[]> {
    this.#asking ??= this.#client.discover().finally(() => {
      this.#asking = undefined;
    });
    this.#resources = await orAborted(this.#asking, signal);
    return this.#resources;
  }
}
