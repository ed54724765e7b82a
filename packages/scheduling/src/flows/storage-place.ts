import { normalisePath } from './paths.ts';
import { remoteStorageOf } from './remote-place.ts';
import type { RemoteStorage, SecretKey, StorageAccess } from './storage-access.ts';
import type { Refusal } from './validate-operation.ts';

/** A folder that a pod mounts: of a PersistentVolumeClaim, of its node, or of a file server. */
export type MountedPlace =
  | { readonly kind: 'claim'; readonly claim: string; readonly path: string }
  | { readonly kind: 'host'; readonly folder: string; readonly path: string }
  | {
      readonly kind: 'nfs';
      readonly server: string;
      readonly folder: string;
      readonly path: string;
    };

/** A tree that a pod in another cluster serves. */
export interface ServedPlace {
  readonly kind: 'served';
  /** Its URL, once known. */
  readonly url: string;
  readonly pinnedCertificate: string;
  readonly token: SecretKey;
}

/** A place that a URL can name. */
export type NamedPlace = MountedPlace | RemoteStorage;

export type StoragePlace = NamedPlace | ServedPlace;

export type FoundPlace = NamedPlace | ({ readonly kind: 'refused' } & Refusal);

const refusal = (message: string): FoundPlace => ({
  kind: 'refused',
  reason: 'PathNotSupported',
  message,
});

const climbsOut = (path: string): boolean => path.split('/').includes('..');

/** A folder of a claim; the claim of a dataset has its name. */
export const claimPlace = (
  claim: string,
  path: string | undefined,
  subject: string,
): FoundPlace => {
  if (climbsOut(path ?? '')) return refusal(`${subject}: the path climbs out of its root`);
  if (!/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(claim)) {
    return refusal(`${subject}: "${claim}" is no name of a claim`);
  }
  return { kind: 'claim', claim, path: normalisePath(path) };
};

const WHAT_THERE_IS =
  'there are local:///folder, pvc://claim/folder, dataset://namespace/name/folder, s3://bucket/folder, minio://host/bucket/folder, oss://, https://, http://, nfs://server/folder, and by rclone hdfs://, gs://, azureblob://, sftp://, ftp://, webdav://, swift://, b2://, smb://';

/** The folder or storage of a URL, for pods of a namespace. */
export const placeOfUri = (
  uri: string,
  namespace: string,
  access: StorageAccess = {},
): FoundPlace => {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/s.exec(uri) ?? [];
  const [first = '', ...steps] = rest.split('/');
  switch (scheme) {
    case 'local':
      if (!rest.startsWith('/')) return refusal(`${uri}: write local:///folder`);
      if (climbsOut(rest)) return refusal(`${uri}: the path climbs out of its root`);
      return { kind: 'host', folder: `/${normalisePath(rest)}`, path: '' };
    case 'pvc':
      return claimPlace(first, steps.join('/'), uri);
    case 'dataset': {
      const [name = '', ...below] = steps;
      if (first === namespace) return claimPlace(name, below.join('/'), uri);
      return {
        kind: 'refused',
        reason: 'TargetDatasetNamespaceNotSame',
        message: `${uri} is in another namespace, where pods of ${namespace} cannot mount it`,
      };
    }
    case 'nfs':
      if (climbsOut(rest)) return refusal(`${uri}: the path climbs out of its root`);
      if (!/^[a-zA-Z0-9.:-]{1,253}$/.test(first))
        return refusal(`${uri}: write nfs://server/folder`);
      return { kind: 'nfs', server: first, folder: `/${normalisePath(steps.join('/'))}`, path: '' };
    default: {
      const remote = remoteStorageOf(uri, access);
      if (remote === undefined) return refusal(`${uri}: ${WHAT_THERE_IS}`);
      return remote.kind === 'wrong' ? refusal(remote.message) : remote;
    }
  }
};

/** A subfolder of a place. */
export const below = (place: FoundPlace, path: string): FoundPlace =>
  place.kind === 'refused'
    ? place
    : { ...place, path: [place.path, path].filter((one) => one !== '').join('/') };
