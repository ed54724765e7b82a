import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
import { parseQuantity } from '@perigee/schema/values/quantity-text';
import { RUNS_PODS } from '../clusters/inventory/runs-pods.ts';
import { servingName, type Transfer } from './transfer.ts';
import { sha256 } from './transfer-keys.ts';

/** The address of a cluster's pods for other clusters: on this machine, or at node ports. */
export type TransferAddress =
  | { readonly kind: 'loopback' }
  | {
      readonly kind: 'node-ports';
      readonly host: string;
      readonly firstPort: number;
      readonly lastPort: number;
    };

type Record = Pick<ClusterRecord, 'spec'>;

const HIGHEST_PORT = 65_535;

/** The address that a cluster publishes. Virtual members share one machine. */
export const transferAddress = (
  member: Pick<KubeObject, 'metadata'>,
  record: Record | undefined,
): TransferAddress | undefined => {
  if (member.metadata.annotations?.[RUNS_PODS] !== undefined) return { kind: 'loopback' };
  const address = record?.spec.dataTransfer?.address ?? '';
  const [, host = '', first, last = first] = /^(.+):(\d{1,5})(?:-(\d{1,5}))?$/.exec(address) ?? [];
  const [firstPort, lastPort] = [Number(first), Number(last)];
  const isRange = firstPort > 0 && firstPort <= lastPort && lastPort <= HIGHEST_PORT;
  return isRange ? { kind: 'node-ports', host, firstPort, lastPort } : undefined;
};

/** The route from one cluster to another. */
export interface Route {
  readonly pricePerGiB?: number;
  readonly bytesPerSecond?: number;
}

/** The value of a quantity; undefined if it is negative. */
export const numberOf = (text: string | number | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const { units, nanos } = parseQuantity(String(text));
  const value = Number(units) + Number(nanos) / 1e9;
  return Number.isFinite(value) && value >= 0 ? value : undefined;
};

/** The route to a cluster: its own entry, else the default one. */
export const routeTo = (from: Record | undefined, to: string): Route => {
  const all = from?.spec.dataTransfer?.egress ?? [];
  const entry = all.find((one) => one.to === to) ?? all.find((one) => one.to === '*');
  const pricePerGiB = numberOf(entry?.pricePerGiB);
  const bytesPerSecond = numberOf(entry?.bytesPerSecond);
  return {
    ...present({ pricePerGiB, bytesPerSecond }),
  };
};

/** The share of a route's limit for each of several copies. */
export const shareOf = ({ bytesPerSecond }: Route, copies: number): number | undefined =>
  bytesPerSecond === undefined
    ? undefined
    : Math.max(1, Math.floor(bytesPerSecond / Math.max(1, copies)));

const GIB = 2 ** 30;

/** The cost of sending bytes; undefined without a price. */
export const costOf = ({ pricePerGiB }: Route, bytes: number): number | undefined =>
  pricePerGiB === undefined ? undefined : (bytes / GIB) * pricePerGiB;

/** An amount of money, in the format of statuses. */
export const formatCost = (cost: number): string => String(Number(cost.toPrecision(6)));

/** A free node port for transfers out of the cluster; deterministic. */
export const nodePortFor = (
  transfer: Transfer,
  { firstPort, lastPort }: Extract<TransferAddress, { kind: 'node-ports' }>,
  usedPorts: ReadonlySet<number>,
): number | undefined => {
  const count = lastPort - firstPort + 1;
  const start = Number.parseInt(sha256(servingName(transfer)).slice(0, 8), 16);
  for (let step = 0; step < count; step++) {
    const port = firstPort + ((start + step) % count);
    if (!usedPorts.has(port)) return port;
  }
  return undefined;
};
