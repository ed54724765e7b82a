import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { type CopyOperation, haveNestedTargets, type Move } from './move.ts';
import { badOption, type CopySettings, settingsOf } from './mover-options.ts';
import { MoverVolumes } from './mover-volumes.ts';
import { operationMoves, servedMoves } from './moves.ts';
import { statusOf } from './operation.ts';
import type { RenderedRun } from './run-parts.ts';
import { type StagingStore, stagedPlace } from './staging-store.ts';
import type { StoragePlace } from './storage-place.ts';
import { type Refusal, validateOperation } from './validate-operation.ts';

/** The operator's settings for copying. */
export interface MoverSettings {
  /** The image with the mover. Virtual members need none. */
  readonly image: string;
  /** Host folders that `local://` may reach, with their subfolders. */
  readonly hostPaths: readonly string[];
  /** The store for data between clusters that cannot reach each other. */
  readonly staging?: StagingStore;
}

export const USUAL_MOVER: MoverSettings = { image: 'perigee:0.1.0', hostPaths: [] };

export interface MoverWorld {
  /** The dataset of the operation. */
  readonly dataset: Dataset | undefined;
  /** Datasets of its namespace. */
  readonly findDataset?: (name: string) => Dataset | undefined;
  /** The name of the Job and of its ConfigMap. */
  readonly runName: string;
  readonly mover: MoverSettings;
  /** The transfer from the serving cluster; its endpoint is known once it runs. */
  readonly transfer?: { readonly endpoint?: TransferEndpoint; readonly isStaged?: boolean };
  /** The clusters that it may run in, if known. */
  readonly clusters?: readonly string[] | undefined;
}

/** The address of a transfer's server. */
export interface TransferEndpoint {
  /** The URL without the number of the tree. */
  readonly url: string;
  readonly pinnedCertificate: string;
}

export const MOVER = 'perigee-mover';
export const ORDERS = '/mover/orders';
export const TERMINATION_LOG = '/dev/termination-log';

/** The user id of the image. */
export const MOVER_GROUP = 65_532;

/** Exit codes of the mover after which a retry would fail, too. */
export const NEVER_AGAIN: readonly number[] = [
  2, 10, 13, 14, 15, 16, 17, 18, 19, 22, 27, 28, 29, 30, 31, 70,
];

/** True if a container copies data. */
export const isMover = ({ command }: JsonObject): boolean =>
  Array.isArray(command) && command[0] === MOVER;

/** Host folders are granted by the operator, not by the author of an operation. */
const forbiddenFolder = (
  moves: readonly Move[],
  { hostPaths }: MoverSettings,
): Refusal | undefined => {
  const folders = moves.flatMap(({ from, to }) =>
    [from, to].flatMap((place) => (place.kind === 'host' ? [place.folder] : [])),
  );
  const isListed = (folder: string): boolean =>
    hostPaths.some((one) => one === '/' || folder === one || folder.startsWith(`${one}/`));
  const bad = folders.find((folder) => !isListed(folder));
  if (bad === undefined) return undefined;
  const allowedFolders = hostPaths.length === 0 ? 'none' : hostPaths.join(', ');
  const message = `local://${bad}: only folders that the operator lists with --host-path can be reached (now ${allowedFolders})`;
  return { reason: 'PathNotSupported', message };
};

/** Trees are copied at the same time: each would delete what the others have brought into its folder. */
const lossOf = (moves: readonly Move[], { deletes }: CopySettings): Refusal | undefined =>
  deletes && haveNestedTargets(moves)
    ? {
        reason: 'NotSupported',
        message:
          'delete-dst would delete what other mounts bring, as mounts of the dataset lie in each other: leave it out',
      }
    : undefined;

const orderOf = (move: Move, volumes: MoverVolumes, settings: CopySettings): string => {
  const { deletes, ...others } = settings;
  const { from, to, isMirror, manifest, verifiedBy } = move;
  const order = {
    from: volumes.endOf(from),
    to: volumes.endOf(to),
    mode: isMirror || deletes ? 'sync' : 'copy',
    ...others,
    ...present({
      manifest: manifest && { place: volumes.endOf(manifest.place), about: manifest.about },
      verifiedBy: verifiedBy && volumes.endOf(verifiedBy),
    }),
    terminationMessage: TERMINATION_LOG,
  };
  return `${JSON.stringify(order, undefined, 2)}\n`;
};

const imageOf = (operation: CopyOperation, usual: string): string => {
  if (operation.kind !== 'DataMigrate') return usual;
  const { image = '', imageTag = '' } = (operation as DataMigrate).spec;
  if (image === '') return usual;
  return imageTag === '' ? image : `${image}:${imageTag}`;
};

/** Node constraints and security context of its pods. */
const podFields = (operation: CopyOperation): JsonObject => {
  if (operation.kind === 'DataBackup') {
    const { uid, gid } = (operation as DataBackup).spec.runAs ?? {};
    const runAs = uid === undefined ? {} : { runAsUser: Number(uid), runAsGroup: Number(gid) };
    const fsGroup = gid === undefined ? MOVER_GROUP : Number(gid);
    return { securityContext: { ...runAs, fsGroup, fsGroupChangePolicy: 'OnRootMismatch' } };
  }
  const { affinity, tolerations, nodeSelector, schedulerName } = (operation as DataLoad).spec;
  return {
    securityContext: { fsGroup: MOVER_GROUP, fsGroupChangePolicy: 'OnRootMismatch' },
    ...present({
      affinity: affinity as never,
      tolerations: tolerations as never,
      nodeSelector,
      schedulerName: schedulerName || undefined,
    }),
  };
};

/** The key of a Secret that holds the token of a transfer. */
export const TOKEN = 'token';

const datasetNamed =
  (dataset: Dataset | undefined) =>
  (name: string): Dataset | undefined =>
    dataset?.metadata.name === name ? dataset : undefined;

/** The moves of an operation; from another cluster, if there is a transfer. */
export const movesIn = (
  operation: CopyOperation,
  { dataset, findDataset, transfer, runName, mover: { staging }, clusters }: MoverWorld,
) => {
  const servedBy = transfer && statusOf(operation).transfer?.from;
  const products = { findDataset: findDataset ?? datasetNamed(dataset), servedBy, clusters };
  const plannedMoves = operationMoves(operation, dataset, transfer !== undefined, products);
  if (plannedMoves.kind === 'refused') return plannedMoves;
  if (transfer === undefined) return { ...plannedMoves, trees: [] };
  const { url = '', pinnedCertificate = '' } = transfer.endpoint ?? {};
  const token = { secret: runName, key: TOKEN };
  const serve = (tree: number): StoragePlace => {
    const { namespace = '' } = operation.metadata;
    const attempt = { namespace, name: runName };
    const stagingPlace =
      transfer.isStaged && staging && stagedPlace(staging, runName, attempt, tree);
    return stagingPlace || { kind: 'served', url: `${url}/${tree}`, pinnedCertificate, token };
  };
  const places = servedMoves(operation, dataset, plannedMoves.moves, serve, products);
  return { kind: plannedMoves.kind, ...places };
};

/** The pod that carries out the copies of an operation in its cluster, with an order for each tree. */
export const renderMoverJob = (operation: CopyOperation, world: MoverWorld): RenderedRun => {
  const problem = validateOperation(operation);
  if (problem !== undefined) return { kind: 'refused', ...problem };
  const plannedMoves = movesIn(operation, world);
  if (plannedMoves.kind === 'refused') return plannedMoves;
  const options = ('options' in operation.spec && operation.spec.options) || {};
  const bad = badOption(operation, options);
  const { moves } = plannedMoves;
  const settings = settingsOf(operation, options);
  const refusal = bad ?? forbiddenFolder(moves, world.mover) ?? lossOf(moves, settings);
  if (refusal !== undefined) return { kind: 'refused', ...refusal };
  const volumes = new MoverVolumes(moves);
  const nameOf = (at: number, name: string): string =>
    moves.length === 1 ? name : `${name}-${at}`;
  const resources = 'resources' in operation.spec ? operation.spec.resources : undefined;
  const containers = moves.map(
    (move, at): JsonObject => ({
      name: nameOf(at, 'mover'),
      // A transfer can read the keys of the operator's store, so images of users are not used with it.
      image:
        world.transfer === undefined ? imageOf(operation, world.mover.image) : world.mover.image,
      command: [MOVER, `${ORDERS}/${nameOf(at, 'order')}.json`],
      ...present({ resources: resources as never }),
      terminationMessagePolicy: 'FallbackToLogsOnError',
      volumeMounts: [
        { name: 'orders', mountPath: ORDERS, readOnly: true },
        ...volumes.mountsFor(move),
      ],
    }),
  );
  const podMetadata = 'podMetadata' in operation.spec ? operation.spec.podMetadata : undefined;
  return {
    kind: 'run',
    podSpec: {
      restartPolicy: 'Never',
      ...podFields(operation),
      containers,
      volumes: [{ name: 'orders', configMap: { name: world.runName } }, ...volumes.volumes],
    },
    jobSpec: {
      podFailurePolicy: {
        rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [...NEVER_AGAIN] } }],
      },
    },
    podLabels: podMetadata?.labels ?? {},
    podAnnotations: podMetadata?.annotations ?? {},
    files: Object.fromEntries(
      moves.map((move, at) => [`${nameOf(at, 'order')}.json`, orderOf(move, volumes, settings)]),
    ),
  };
};
