import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { createInProcessClient } from '@perigee/apiserver/client/in-process-client';
import { PodLogSource } from '@perigee/apiserver/registry/pod-log-source';
import { ResourceCatalog } from '@perigee/apiserver/registry/resource-catalog';
import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { orAborted } from '@perigee/kube/client/or-aborted';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConnectionError } from '@perigee/kube/errors';
import { builtinResources } from '@perigee/kubernetes/builtin-resources';
import { Namespace } from '@perigee/kubernetes/core/namespace';

const RESOURCES = builtinResources();

/** A cluster with the built-in kinds of Kubernetes, whose connection can be cut. */
export class SimulatedMember {
  /** The client of users inside the cluster. */
  readonly admin: Client;
  /** The client of the control plane. */
  readonly client: Client;
  /** Requests of the control plane, such as `update configmaps`. */
  readonly requests: string[] = [];
  /** Logs of containers, if they are served. */
  readonly logs = new PodLogSource();
  readonly #store = createMemoryStore();
  /** The connection of the control plane: `cut` fails requests, `hangs` never answers. */
  connection: 'fine' | 'cut' | 'hangs' = 'fine';

  constructor(name: string, clock: Clock) {
    const resources = new ResourceCatalog(RESOURCES);
    const podLogs = this.logs;
    const registry = { store: this.#store, clock, resources, cluster: name, podLogs };
    this.admin = createInProcessClient(registry, { fieldManager: 'member' });
    this.client = this.#reached(createInProcessClient(registry, { fieldManager: 'perigee' }));
  }

  /** Changes with every write. */
  get revision(): number {
    return this.#store.revision;
  }

  async addNamespaces(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.admin.create(Namespace, { metadata: { name } });
  }

  /** The requests that would change something. */
  get writes(): readonly string[] {
    return this.requests.filter((request) => !/^(get|list|watch|discover|podLog)/.test(request));
  }

  async find<T extends KubeObject>(kind: ResourceKind<T>, name: string, namespace = 'default') {
    const { items } = await this.admin.list(kind, {
      ...(kind.scope === 'Namespaced' ? { namespace } : {}),
      fieldSelector: `metadata.name=${name}`,
    });
    return items[0];
  }

  #failing({ signal }: CallOptions = {}): Promise<never> {
    if (this.connection === 'hangs') return orAborted(new Promise(() => {}), signal);
    return Promise.reject(new ConnectionError('the member does not answer'));
  }

  #reached(client: Client): Client {
    return new Proxy(client, {
      get: (target, verb) => {
        const method = Reflect.get(target, verb) as (...args: readonly unknown[]) => unknown;
        return (...args: readonly unknown[]) => {
          const [kind] = args as [ResourceKind | undefined];
          this.requests.push([String(verb), kind?.plural].filter(Boolean).join(' '));
          if (this.connection === 'fine') return method.apply(target, [...args]);
          const fail = () => this.#failing(args.at(-1) as CallOptions | undefined);
          return verb === 'watch' ? { [Symbol.asyncIterator]: () => ({ next: fail }) } : fail();
        };
      },
    });
  }
}
