import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { textIn } from '../interpreter/fields.ts';
import { MoverVolumes } from './mover-volumes.ts';
import { OPERATION, operationLabel, runName } from './operation-run-objects.ts';
import {
  MOVER,
  MOVER_GROUP,
  ORDERS,
  renderMoverJob,
  TERMINATION_LOG,
  TOKEN,
} from './render-mover-job.ts';
import {
  datasetOf,
  metadataOf,
  servedTrees,
  servingName,
  type Transfer,
  type TransferOperation,
  type TransferWorld,
} from './transfer.ts';
import {
  fingerprint,
  secretOf,
  selectorOf,
  sha256,
  type TransferKeys,
  tokenFor,
} from './transfer-keys.ts';
import type { TransferAddress } from './transfer-routes.ts';

const RUNTIME = 'member.perigee.io/runtime';
const KEYS = '/mover/keys';
const KEY_MODE = 0o440;

/** The port of the pod behind its node port. */
const POD_PORT = 8443;

/** Its retries last longer than those of its clients: they depend on it. */
const BACKOFF_LIMIT = 10;

/** Limit of servers that follow one that ended too early. */
export const MOST_SERVERS = BACKOFF_LIMIT + 1;
const SERVER = 'flows.perigee.io/server';

/** The number of the server that a Job runs. */
export const serverOfJob = (job: JsonObject): number =>
  Number(textIn(job, 'metadata', 'annotations', SERVER) || 0);

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
  const { server, address, port } = serving;
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
      ports: [{ port: POD_PORT, targetPort: POD_PORT, nodePort: port ?? 0 }],
    },
  };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: orders, data: { 'serve.json': order } },
    job,
    // Without a free port of those that are announced it waits: its cluster would choose another one.
    ...(address.kind === 'node-ports' && port !== undefined ? [service] : []),
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
  const run = renderMoverJob(operation as TransferOperation, {
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
