import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { type Registry, tableOf } from '../../registry/registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';

interface Index {
  readonly generation: number;
  readonly byTable: ReadonlyMap<string, ServedResource>;
  readonly byKind: ReadonlyMap<string, ServedResource>;
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** Finds what is served now by where its objects are, and by how references name its kind. */
export class ServedKinds {
  readonly #registry: Registry;
  #index: Index | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** In the storage version, if it is served, since it needs no conversion. */
  ofTable(table: string): ServedResource | undefined {
    return this.#current().byTable.get(table);
  }

  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#current().byKind.get(kindKey(apiVersion, kind));
  }

  #current(): Index {
    const { generation } = this.#registry.resources;
    if (this.#index?.generation !== generation) this.#index = this.#build(generation);
    return this.#index;
  }

  #build(generation: number): Index {
    const byTable = new Map<string, ServedResource>();
    const byKind = new Map<string, ServedResource>();
    for (const resource of this.#registry.resources.values()) {
      if (!resource.verbs.includes('get')) continue;
      const table = tableOf(this.#registry, resource);
      const isStored =
        resource.group === resource.storage.group && resource.version === resource.storage.version;
      if (isStored || !byTable.has(table)) byTable.set(table, resource);
      byKind.set(kindKey(apiVersionOf(resource), resource.kind), resource);
    }
    return { generation, byTable, byKind };
  }
}
