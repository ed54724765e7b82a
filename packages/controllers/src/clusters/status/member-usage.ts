import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { observeInformers } from '@perigee/kube/controller/observe-informers';
import { Troubles } from '@perigee/kube/controller/troubles';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Reflector, type ServerTraits } from '@perigee/kube/informer/reflector';
import type { Logger } from '@perigee/kube/observe/logger';
import { Metrics } from '@perigee/kube/observe/metrics';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { nodeFacts } from '@perigee/scheduling/clusters/status/node-facts';
import { type PodShapes, podUsage } from '@perigee/scheduling/clusters/status/pod-usage';
import { ParseError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';

export interface MemberUsageOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** An interning cache of pod requests, shared by all members. */
  readonly shapes: PodShapes;
  /** Logs watch errors of nodes and pods. */
  readonly logger: Logger;
  /** Called once, after all nodes and pods have been counted. */
  readonly onCounted: () => void;
  /** Called on every change of the count after that. */
  readonly onChange: () => void;
}

/** Maximum number of unreadable objects that is kept. */
const MOST_UNREAD = 1_000;

interface Count {
  /** True if the count changed. */
  set(key: string, object: JsonObject | undefined): boolean;
  keep(keys: ReadonlySet<string>): void;
}

/** The object as it comes from the server; the counted fields are read at once, and the rest is dropped. */
const contentOf = (object: KubeObject): JsonObject => object as KubeObject & JsonObject;

/** Watches the nodes and pods of a member and maintains their sums. */
export class MemberUsage implements Disposable {
  readonly client: Client;
  readonly #options: MemberUsageOptions;
  readonly #usage = new ClusterUsage();
  readonly #server: ServerTraits = { initialEvents: true };
  readonly #stop = new AbortController();
  readonly #unread = new Map<string, string>();
  readonly #unsyncedKinds = new Set<string>([Node.plural, Pod.plural]);

  constructor(options: MemberUsageOptions) {
    this.client = options.client;
    this.#options = options;
    const usage = this.#usage;
    this.#follow(Node, {
      set: (key, node) => {
        usage.setNode(
          key,
          this.#read(`node ${key}`, () => node && nodeFacts(node)),
        );
        return true;
      },
      keep: (keys) => usage.keepNodes(keys),
    });
    this.#follow(Pod, {
      set: (key, pod) =>
        usage.setPod(
          key,
          this.#read(`pod ${key}`, () => pod && podUsage(pod, options.shapes)),
        ),
      keep: (keys) => usage.keepPods(keys),
    });
  }

  /** Nodes and pods that are not counted, with the reason. */
  get unread(): ReadonlyMap<string, string> {
    return this.#unread;
  }

  /** The sums; undefined until everything has been counted once. */
  get counted(): ClusterUsage | undefined {
    return this.#unsyncedKinds.size === 0 ? this.#usage : undefined;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  /** Skips a node or pod whose amounts cannot be parsed, so that the others are counted. */
  #read<T>(what: string, read: () => T | undefined): T | undefined {
    this.#unread.delete(what);
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      if (this.#unread.size < MOST_UNREAD) this.#unread.set(what, error.message);
      return undefined;
    }
  }

  #follow(kind: ResourceKind, count: Count): void {
    const { client, clock, logger } = this.#options;
    const server = this.#server;
    const troubles = new Troubles(clock);
    const metrics = observeInformers({ metrics: new Metrics(), logger, troubles })(kind, {});
    const reflector = new Reflector<KubeObject>(
      { client, clock, kind, selection: {}, server, metrics },
      {
        replace: (objects) => {
          const keys = new Set<string>();
          for (const object of objects) {
            const key = objectKey(object.metadata);
            keys.add(key);
            count.set(key, contentOf(object));
          }
          count.keep(keys);
          this.#countedAll(kind);
          this.#notifyChange();
        },
        apply: ({ type, object }) => {
          const content = type === 'DELETED' ? undefined : contentOf(object);
          if (count.set(objectKey(object.metadata), content)) this.#notifyChange();
        },
      },
    );
    void reflector.run(this.#stop.signal);
  }

  #notifyChange(): void {
    if (this.#unsyncedKinds.size === 0) this.#options.onChange();
  }

  #countedAll({ plural }: ResourceKind): void {
    if (this.#unsyncedKinds.delete(plural) && this.#unsyncedKinds.size === 0)
      this.#options.onCounted();
  }
}
