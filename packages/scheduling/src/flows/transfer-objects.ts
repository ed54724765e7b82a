import { createHash, createHmac, X509Certificate } from 'node:crypto';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { textIn } from '../interpreter/fields.ts';
import { MoverVolumes } from './mover-volumes.ts';
import type { Operation } from './operation.ts';
import { OPERATION, operationLabel, runName } from './operation-run-objects.ts';
import {
  MOVER,
  MOVER_GROUP,
  type MoverSettings,
  movesIn,
  ORDERS,
  renderMoverJob,
  TERMINATION_LOG,
  TOKEN,
} from './render-mover-job.ts';
import type { MountedPlace } from './storage-place.ts';
import type { TransferAddress } from './transfer-routes.ts';
import { datasetsOf } from './written-data.ts';

/** The key and certificate of one transfer, as PEM. */
export interface TransferKeys {
  readonly key: string;
  readonly cert: string;
}

export interface TransferWorld {
  readonly findDataset: (name: string) => Dataset | undefined;
  readonly mover: MoverSettings;
}

/** The transfer between clusters of one attempt. */
export interface Transfer {
  readonly operation: Operation;
  readonly attempt: number;
}

const SERVES = 'flows.perigee.io/serves';
const RUNTIME = 'member.perigee.io/runtime';
const KEYS = '/mover/keys';
const KEY_MODE = 0o440;
/** The port of the pod behind its node port. */
const POD_PORT = 8443;
const LONGEST_NAME = 63;
/** Its retries last longer than those of its clients: they depend on it. */
const BACKOFF_LIMIT = 10;
/** Limit of servers that follow one that ended too early. */
export const MOST_SERVERS = BACKOFF_LIMIT + 1;
const SERVER = 'flows.perigee.io/server';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The name of the server of an attempt; the first has number 0. */
export const servingName = ({ operation, attempt }: Transfer, server = 0): string => {
  const start = 'serve-';
  const end = server === 0 ? '' : `-${server}`;
  const most = LONGEST_NAME - start.length - end.length;
  return `${start}${runName(operation, attempt).slice(-most)}${end}`;
};

/** The number of the server that a Job runs. */
export const serverOfJob = (job: JsonObject): number =>
  Number(textIn(job, 'metadata', 'annotations', SERVER) || 0);

/**
 * The token of a cluster for the data, valid for one server of the attempt. A server forgets the spent tokens when it
 * ends, so its successor has other ones. Tokens are derived from the key.
 */
const tokenFor = (
  { operation, attempt }: Transfer,
  { keys: { key }, server }: Pick<Serving, 'keys' | 'server'>,
  target: string,
): string =>
  createHmac('sha256', key)
    .update([operation.metadata.uid, attempt, target, server].join('/'))
    .digest('base64url');

const fingerprint = ({ cert }: TransferKeys): string =>
  new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();

export const metadataOf = (transfer: Transfer, name: string): JsonObject => {
  const { namespace = '', uid } = transfer.operation.metadata;
  const label = operationLabel(transfer.operation);
  return { namespace, name, uid, labels: { [OPERATION]: label, [SERVES]: 'true' } };
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const secretOf = (
  transfer: Transfer,
  name: string,
  data: { readonly [key: string]: string },
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadataOf(transfer, name),
  type: 'Opaque',
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
});

/** The Secret of the serving cluster, from which all others are derived. */
export const keySecret = (transfer: Transfer, { key, cert }: TransferKeys): JsonObject =>
  secretOf(transfer, servingName(transfer), { 'tls.key': key, 'tls.crt': cert });

/** The keys in the Secret of the serving cluster. */
export const keysIn = (secret: JsonObject): TransferKeys | undefined => {
  const data = (secret.data ?? {}) as { readonly [key: string]: unknown };
  const textOf = (name: string): string =>
    Buffer.from(String(data[name] ?? ''), 'base64').toString();
  const keys = { key: textOf('tls.key'), cert: textOf('tls.crt') };
  return keys.key === '' || keys.cert === '' ? undefined : keys;
};

type Moving = DataLoad | DataMigrate;

export const datasetOf = ({ operation }: Transfer, { findDataset }: TransferWorld) =>
  findDataset(datasetsOf(operation)[0] ?? '');

export const servedTrees = (transfer: Transfer, world: TransferWorld): readonly MountedPlace[] => {
  const { operation, attempt } = transfer;
  const plannedMoves = movesIn(operation as Moving, {
    dataset: datasetOf(transfer, world),
    findDataset: world.findDataset,
    runName: runName(operation, attempt),
    mover: world.mover,
    transfer: {},
  });
  return plannedMoves.kind === 'refused' ? [] : plannedMoves.trees;
};

export interface Serving {
  readonly keys: TransferKeys;
  /** Number of servers of this attempt that ended too early. */
  readonly server: number;
  /** The clusters without the data so far: a restarted server refuses the tokens of the others. */
  readonly targets: readonly string[];
  readonly address: TransferAddress;
  /** The port of the previous server, which its successor reuses; else a node port. */
  readonly port: number | undefined;
  readonly bytesPerSecond: number | undefined;
}

const serveOrder = (
  transfer: Transfer,
  { keys, server, targets, address, port, bytesPerSecond }: Serving,
  trees: readonly JsonObject[],
): string => {
  const tokens = targets.map((target) => sha256(tokenFor(transfer, { keys, server }, target)));
  const isHere = address.kind === 'loopback';
  const serve = {
    trees,
    keyFile: `${KEYS}/tls.key`,
    certificateFile: `${KEYS}/tls.crt`,
    tokens,
    host: isHere ? '127.0.0.1' : '::',
    port: isHere ? (port ?? 0) : POD_PORT,
    ...present({ bytesPerSecond }),
  };
  return `${JSON.stringify({ serve, terminationMessage: TERMINATION_LOG }, undefined, 2)}\n`;
};

/** The lifetime of the transfer's certificate. */
const LONGEST_SECONDS = 30 * 24 * 3600;

/**
 * The selector of a transfer's Service. Tenants choose the labels of their own pods, so the value is derived from
 * a key that is created with the transfer.
 */
const selectorOf = (transfer: Transfer, { key }: TransferKeys) => ({
  [SERVES]: createHmac('sha256', key)
    .update(`selector/${servingName(transfer)}`)
    .digest('hex')
    .slice(0, 40),
});

/** The Job of a transfer in the cluster that has the data. */
export const sourceJob = (
  transfer: Transfer,
  containers: readonly JsonObject[],
  volumes: readonly JsonObject[],
  serves?: { readonly server: number; readonly labels: { readonly [label: string]: string } },
): JsonObject => {
  const { server = 0, labels = {} } = serves ?? {};
  const name = servingName(transfer, server);
  const template = {
    metadata: {
      labels: { [OPERATION]: operationLabel(transfer.operation), ...labels },
      annotations: { 'sidecar.istio.io/inject': 'false', [RUNTIME]: 'process' },
    },
    spec: {
      restartPolicy: 'Never',
      securityContext: { fsGroup: MOVER_GROUP, fsGroupChangePolicy: 'OnRootMismatch' },
      containers,
      volumes: [{ name: 'orders', configMap: { name } }, ...volumes],
    },
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...metadataOf(transfer, name), annotations: { [SERVER]: String(server) } },
    spec: {
      // A server pod is replaced by a Job with other tokens, and never restarted with the same.
      backoffLimit: serves === undefined ? BACKOFF_LIMIT : 0,
      completions: 1,
      parallelism: 1,
      // It ends by itself in case nobody can delete it.
      activeDeadlineSeconds: transfer.operation.spec.activeDeadlineSeconds ?? LONGEST_SECONDS,
      template,
    },
  };
};

/** A container that carries out an order. */
export const moverContainer = (
  name: string,
  image: string,
  order: string,
  mounts: readonly JsonObject[],
): JsonObject => ({
  name,
  image,
  command: [MOVER, `${ORDERS}/${order}`],
  terminationMessagePolicy: 'FallbackToLogsOnError',
  volumeMounts: [{ name: 'orders', mountPath: ORDERS, readOnly: true }, ...mounts],
});

/** The objects in the source cluster, beside the Secret: orders, Job, and a node port. */
export const servingObjects = (
  transfer: Transfer,
  serving: Serving,
  world: TransferWorld,
): readonly JsonObject[] => {
  const name = servingName(transfer);
  const metadata = metadataOf(transfer, name);
  const { server } = serving;
  const trees = servedTrees(transfer, world);
  // A served tree is only read: its copy has no target in this pod.
  const volumes = new MoverVolumes(trees);
  const order = serveOrder(
    transfer,
    serving,
    trees.map((tree) => volumes.endOf(tree)),
  );
  const keys = { name: 'keys', secret: { secretName: name, defaultMode: KEY_MODE } };
  const mounts = [{ name: 'keys', mountPath: KEYS, readOnly: true }, ...volumes.mountsOf(trees)];
  const container = {
    ...moverContainer('mover', world.mover.image, 'serve.json', mounts),
    ports: [{ containerPort: POD_PORT }],
  };
  const selector = selectorOf(transfer, serving.keys);
  const job = sourceJob(transfer, [container], [keys, ...volumes.volumes], {
    server,
    labels: selector,
  });
  const orders = metadataOf(transfer, servingName(transfer, server));
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      type: 'NodePort',
      selector,
      ports: [{ port: POD_PORT, targetPort: POD_PORT, nodePort: serving.port ?? 0 }],
    },
  };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: orders, data: { 'serve.json': order } },
    job,
    ...(serving.address.kind === 'node-ports' ? [service] : []),
  ];
};

/** The objects in a target cluster, beside the Job: its token, and orders with the address of the source. */
export const pullingObjects = (
  transfer: Transfer,
  target: string,
  { keys, server, address, port }: Serving & { readonly port: number },
  world: TransferWorld,
): readonly JsonObject[] => {
  const { operation, attempt } = transfer;
  const name = runName(operation, attempt);
  const host = address.kind === 'loopback' ? '127.0.0.1' : address.host;
  const endpoint = { url: `https://${host}:${port}`, pinnedCertificate: fingerprint(keys) };
  const run = renderMoverJob(operation as Moving, {
    dataset: datasetOf(transfer, world),
    findDataset: world.findDataset,
    runName: name,
    mover: world.mover,
    transfer: { endpoint },
  });
  if (run.kind === 'refused') return [];
  const metadata = metadataOf(transfer, name);
  return [
    secretOf(transfer, name, { [TOKEN]: tokenFor(transfer, { keys, server }, target) }),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: run.files },
  ];
};

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
