import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ApiClient } from '@perigee/kube/client/api-client';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden, isNotServed } from '@perigee/kube/errors';
import { flowReport } from '@perigee/scheduling/flows/flow-report';
import { dataOverview } from '../data/data-overview.ts';
import { readData } from '../data/read-data.ts';
import { readFlows } from '../flows/read-flows.ts';
import { queueOverview } from '../queues/queue-overview.ts';
import type { Part } from '../status/fleet-status.ts';
import { type ReadOptions, readStatus } from '../status/read-status.ts';
import type { FleetView } from './fleet-view.ts';
import { readMoves } from './read-moves.ts';

type Versions = ReadonlyMap<ResourceKind, string>;

export interface ViewReading {
  readonly view: FleetView;
  readonly versions: Versions;
}

interface Reading<T> {
  readonly part: Part<T>;
  readonly versions: Versions;
}

/** A section that is not served, or that the user may not read, does not hide the others. */
const orUnknown = async <T>(
  reading: Promise<{ readonly part: T; readonly versions: Versions }>,
): Promise<Reading<T>> => {
  try {
    return await reading;
  } catch (error) {
    if (!isNotServed(error) && !isForbidden(error)) throw error;
    const unknown = isForbidden(error) ? 'you may not see this' : 'this server does not have them';
    return { part: { unknown }, versions: new Map() };
  }
};

const readDataPart = async (client: ApiClient, namespace: string | undefined) => {
  const { sources, claims, clusters, versions } = await readData(client, namespace);
  return { part: dataOverview(sources, claims, clusters), versions, clusters };
};

/** Queues with their share of the capacity of all clusters. */
const readQueuesPart = async (
  client: ApiClient,
  data: Promise<Pick<Awaited<ReturnType<typeof readDataPart>>, 'clusters'>>,
) => {
  const [queues, { clusters }] = await Promise.all([
    listAll(client, Queue),
    data.catch(() => ({ clusters: [] })),
  ]);
  return {
    part: queueOverview(queues.items, [], clusters),
    versions: new Map<ResourceKind, string>([[Queue, queues.metadata.resourceVersion]]),
  };
};

const readFlowsPart = async (client: ApiClient, namespace: string | undefined) => {
  const { flows, versions } = await readFlows(client, namespace);
  return { part: flows.map(flowReport), versions };
};

const readMovesPart = async (client: ApiClient, options: ReadOptions) => {
  const { moves, versions } = await readMoves(client, options);
  return { part: moves, versions };
};

/** Reads the content of the screen. */
export const readView = async (client: ApiClient, options: ReadOptions): Promise<ViewReading> => {
  const { namespace } = options;
  const reading = readDataPart(client, namespace);
  const [{ status, versions }, data, queues, flows, moves] = await Promise.all([
    readStatus(client, options),
    orUnknown(reading),
    orUnknown(readQueuesPart(client, reading)),
    orUnknown(readFlowsPart(client, namespace)),
    orUnknown(readMovesPart(client, options)),
  ]);
  const view = {
    clusters: status.clusters,
    work: status.work,
    queues: queues.part,
    data: data.part,
    flows: flows.part,
    moves: moves.part,
  };
  const parts = [versions, data.versions, queues.versions, flows.versions, moves.versions];
  return { view, versions: new Map(parts.flatMap((one) => [...one])) };
};
