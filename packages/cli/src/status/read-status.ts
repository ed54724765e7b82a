import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import type { ApiClient } from '@perigee/kube/client/api-client';
import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { ApiError, isForbidden, isNotServed } from '@perigee/kube/errors';
import { endOfRoom } from '@perigee/scheduling/clusters/room/room-age';
import { OPERATION_KINDS } from '@perigee/scheduling/flows/operation';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';
import { registeredLine, targetLine } from './cluster-line.ts';
import type {
  ClusterLine,
  ClustersStatus,
  ControllersStatus,
  ControllerTrouble,
  FleetStatus,
  Part,
  SchedulerLine,
  SchedulersStatus,
  Trouble,
  TroublesStatus,
  WorkStatus,
} from './fleet-status.ts';
import { byName, bySince, Shortlist } from './shortlist.ts';
import { claimTrouble, operationTrouble, queueTrouble, triggerTrouble } from './troubles.ts';
import { WorkCount } from './work-count.ts';

export interface ReadOptions {
  /** Restricts work to this namespace. */
  readonly namespace?: string;
  /** Number of items listed per section. */
  readonly limit: number;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The status, with the resource versions to start watches from. */
export interface StatusReading {
  readonly status: FleetStatus;
  readonly versions: ReadonlyMap<ResourceKind, string>;
}

const isActive = ({ phase }: SchedulerLine): boolean => phase === 'Active';
const isReady = ({ phase }: ClusterLine): boolean => phase === 'Ready';

class StatusReader {
  readonly versions = new Map<ResourceKind, string>();
  readonly #client: Client;
  readonly #options: ReadOptions;

  constructor(client: Client, options: ReadOptions) {
    this.#client = client;
    this.#options = options;
  }

  async clusters(): Promise<ClustersStatus> {
    const list = new Shortlist<ClusterLine>(
      this.#options.limit,
      (a, b) => Number(isReady(a)) - Number(isReady(b)) || byName(a, b),
    );
    let ready = 0;
    const add = (line: ClusterLine): void => {
      if (isReady(line)) ready += 1;
      list.add(line);
    };
    try {
      await this.#each(ClusterRecord, (cluster) => add(registeredLine(cluster)));
    } catch (error) {
      if (!isNotServed(error)) throw error;
      await this.#each(MemberCluster, (cluster) => add(targetLine(cluster)));
    }
    const counted = await this.#countedClusters();
    return {
      total: list.total,
      ready,
      ...present({ counted }),
      clusters: list.items,
    };
  }

  /** Counts the clusters whose room is counted on nodes; undefined for users who may not see it. */
  async #countedClusters(): Promise<number | undefined> {
    let count = 0;
    try {
      await this.#each(ClusterRoom, (room) => {
        if (endOfRoom(room) > this.#options.nowMs) count += 1;
      });
    } catch (error) {
      if (isNotServed(error) || isForbidden(error)) return undefined;
      throw error;
    }
    // Rooms change constantly and affect only this count, so they are not watched.
    this.versions.delete(ClusterRoom);
    return count;
  }

  async schedulers(): Promise<SchedulersStatus> {
    const list = new Shortlist<SchedulerLine>(
      this.#options.limit,
      (a, b) => Number(isActive(a)) - Number(isActive(b)) || byName(a, b),
    );
    let active = 0;
    await this.#each(Scheduler, ({ metadata, status = {} }) => {
      const { phase = 'Pending', clusters = {} } = status;
      const counts = {
        clusters: clusters.desired?.length ?? 0,
        inUse: clusters.inUse?.length ?? 0,
      };
      const line = { name: metadata.name, phase, ...counts };
      if (isActive(line)) active += 1;
      list.add(line);
    });
    return { total: list.total, active, schedulers: list.items };
  }

  async work(): Promise<WorkStatus> {
    const { namespace, limit } = this.#options;
    const count = new WorkCount(limit);
    const add = (binding: Binding) => count.add(binding);
    await this.#each(ResourceBinding, add, namespace);
    if (namespace === undefined) await this.#each(ClusterResourceBinding, add);
    return count.status;
  }

  /** Problems of other kinds. A kind that is not served has none. */
  async others(): Promise<TroublesStatus> {
    const { namespace, limit } = this.#options;
    const list = new Shortlist<Trouble>(limit, bySince);
    const hiddenKinds: string[] = [];
    const collect = async <K extends ResourceKind>(
      kind: K,
      troubleOf: (object: StoredObjectOf<K>) => Trouble | undefined,
    ): Promise<void> => {
      const within = kind.scope === 'Namespaced' ? namespace : undefined;
      const use = (object: StoredObjectOf<K>): void => {
        const trouble = troubleOf(object);
        if (trouble !== undefined) list.add(trouble);
      };
      try {
        await this.#each(kind, use, within);
      } catch (error) {
        if (isForbidden(error)) hiddenKinds.push(kind.kind);
        else if (!isNotServed(error)) throw error;
      }
    };
    await collect(DataSourceClaim, claimTrouble);
    for (const kind of OPERATION_KINDS) await collect(kind, operationTrouble);
    if (namespace === undefined) {
      await collect(ScheduleTrigger, triggerTrouble);
      await collect(Queue, queueTrouble);
    }
    return { total: list.total, troubles: list.items, hiddenKinds };
  }

  async #each<K extends ResourceKind>(
    kind: K,
    use: (object: StoredObjectOf<K>) => void,
    namespace?: string,
  ): Promise<void> {
    const scope = present({ namespace });
    for await (const { items, metadata } of listPages(this.#client, kind, scope)) {
      items.forEach(use);
      this.versions.set(kind, metadata.resourceVersion);
    }
  }
}

interface ControllersAnswer {
  readonly troubles: readonly ControllerTrouble[];
  readonly uncounted: number;
}

/** The troubles that a server with built-in controllers reports. */
const readControllers = async (
  client: ApiClient,
  limit: number,
): Promise<Part<ControllersStatus>> => {
  try {
    const { troubles, uncounted } = (await client.caller.call({
      method: 'GET',
      path: '/controllers',
    })) as ControllersAnswer;
    return { total: troubles.length + uncounted, troubles: troubles.slice(0, limit) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
    return { unknown: 'other processes run them; their logs and /readyz tell how they are' };
  }
};

const NOT_SERVED =
  'this server does not have them; "perigee controllers --install-crds" brings them to a server of its own';

/** Most users may read the work of some namespaces only. */
const ELSEWHERE = ' in all namespaces: name one of yours by -n';

/** A section that is not served, or that the user may not read, does not hide the others. */
const orUnknown = async <T>(reading: Promise<T>, elsewhere = ''): Promise<Part<T>> => {
  try {
    return await reading;
  } catch (error) {
    if (isNotServed(error)) return { unknown: NOT_SERVED };
    if (isForbidden(error)) return { unknown: `you may not see this${elsewhere}` };
    throw error;
  }
};

/** Reads the status page by page, so that memory does not grow with the fleet. */
export const readStatus = async (
  client: ApiClient,
  options: ReadOptions,
): Promise<StatusReading> => {
  const reader = new StatusReader(client, options);
  const [clusters, schedulers, work, others, controllers] = await Promise.all([
    orUnknown(reader.clusters()),
    orUnknown(reader.schedulers()),
    orUnknown(reader.work(), options.namespace === undefined ? ELSEWHERE : ''),
    orUnknown(reader.others()),
    orUnknown(readControllers(client, options.limit)),
  ]);
  return { status: { clusters, schedulers, work, others, controllers }, versions: reader.versions };
};
