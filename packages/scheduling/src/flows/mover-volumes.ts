import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Move } from './move.ts';
import type { RemoteStorage, SecretKey } from './storage-access.ts';
import type { MountedPlace, ServedPlace, StoragePlace } from './storage-place.ts';

/** Readable by the mover's group only. */
const SECRET_MODE = 0o440;
const SECRETS = '/mover/secrets';

interface Volume {
  readonly name: string;
  readonly place: MountedPlace;
  readonly isWritten: boolean;
}

/** The identity of a volume. */
const keyOf = (place: MountedPlace): string => {
  switch (place.kind) {
    case 'claim':
      return `claim ${place.claim}`;
    case 'host':
      return `host ${place.folder}`;
    case 'nfs':
      return `nfs ${place.server} ${place.folder}`;
  }
};

const isMounted = (place: StoragePlace): place is MountedPlace =>
  place.kind === 'claim' || place.kind === 'host' || place.kind === 'nfs';

const secretsOf = (place: StoragePlace): readonly SecretKey[] => {
  const candidates =
    place.kind === 's3'
      ? [place.accessKey, place.secretKey, place.sessionToken, place.caBundle]
      : place.kind === 'http'
        ? [place.token, place.caBundle]
        : place.kind === 'rclone'
          ? Object.values(place.secretOptions)
          : place.kind === 'served'
            ? [place.token]
            : [];
  return candidates.filter((one) => one !== undefined);
};

const placesOf = ({ from, to }: Move): readonly StoragePlace[] => [from, to];

/** Host folders are created for writes, and must exist for reads. */
const volumeOf = ({ name, place, isWritten }: Volume): JsonObject => {
  switch (place.kind) {
    case 'claim':
      return { name, persistentVolumeClaim: { claimName: place.claim } };
    case 'host': {
      const type = isWritten ? 'DirectoryOrCreate' : 'Directory';
      return { name, hostPath: { path: place.folder, type } };
    }
    case 'nfs': {
      const readOnly = isWritten ? {} : { readOnly: true };
      return { name, nfs: { server: place.server, path: place.folder, ...readOnly } };
    }
  }
};

/** The volumes of the mover's pod, for folders and credentials, and their paths in its orders. */
export class MoverVolumes {
  readonly #volumes = new Map<string, Volume>();
  /** By Secret name: the number of its folder, and the required keys. */
  readonly #secrets = new Map<string, { readonly at: number; readonly keys: Set<string> }>();

  /** @param moves what is copied, or trees that are only read */
  constructor(moves: readonly (Move | MountedPlace)[]) {
    for (const move of moves) {
      if ('kind' in move) this.#add(move, false);
      else {
        this.#add(move.from, false);
        this.#add(move.to, true);
      }
    }
  }

  #add(place: StoragePlace, isWritten: boolean): void {
    for (const { secret, key } of secretsOf(place)) {
      const secretKeys = this.#secrets.get(secret) ?? { at: this.#secrets.size, keys: new Set() };
      secretKeys.keys.add(key);
      this.#secrets.set(secret, secretKeys);
    }
    if (!isMounted(place)) return;
    const key = keyOf(place);
    const presentVolume = this.#volumes.get(key);
    const name = presentVolume?.name ?? `data-${this.#volumes.size}`;
    this.#volumes.set(key, {
      name,
      place,
      isWritten: isWritten || (presentVolume?.isWritten ?? false),
    });
  }

  get volumes(): readonly JsonObject[] {
    const folders = [...this.#volumes.values()].map(volumeOf);
    const secrets = [...this.#secrets].map(
      ([secretName, { at, keys }]): JsonObject => ({
        name: `secret-${at}`,
        secret: {
          secretName,
          defaultMode: SECRET_MODE,
          items: [...keys].sort().map((key) => ({ key, path: key })),
        },
      }),
    );
    return [...folders, ...secrets];
  }

  mountsFor(move: Move): readonly JsonObject[] {
    return this.mountsOf(placesOf(move));
  }

  mountsOf(places: readonly StoragePlace[]): readonly JsonObject[] {
    const folders = new Set(places.filter(isMounted).map(keyOf));
    const secrets = new Set(places.flatMap(secretsOf).map(({ secret }) => secret));
    return [
      ...[...folders].flatMap((key) => {
        const volume = this.#volumes.get(key);
        if (volume === undefined) return [];
        const { name, isWritten } = volume;
        return [
          { name, mountPath: `/mover/${name}`, ...present({ readOnly: !isWritten || undefined }) },
        ];
      }),
      ...[...secrets].map((secret) => {
        const at = this.#secrets.get(secret)?.at;
        return { name: `secret-${at}`, mountPath: `${SECRETS}/${at}`, readOnly: true };
      }),
    ];
  }

  #fileOf(secret: SecretKey | undefined): string | undefined {
    return secret && `${SECRETS}/${this.#secrets.get(secret.secret)?.at}/${secret.key}`;
  }

  /** An end of an order, in the mover's format. Credentials are given by file path. */
  endOf(place: StoragePlace): JsonObject {
    if (!isMounted(place)) return withoutUndefined(this.#remoteEnd(place));
    const root = `/mover/${this.#volumes.get(keyOf(place))?.name ?? ''}`;
    return { kind: 'local', root, path: place.path };
  }

  #remoteEnd(place: RemoteStorage | ServedPlace): { readonly [field: string]: unknown } {
    switch (place.kind) {
      case 'served': {
        const { url, pinnedCertificate } = place;
        return { kind: 'peer', url, pinnedCertificate, tokenFile: this.#fileOf(place.token) };
      }
      case 's3': {
        const { endpoint, region, bucket, pathStyle, path, isFolder } = place;
        const sessionTokenFile = this.#fileOf(place.sessionToken);
        const credentials = place.accessKey && {
          accessKeyFile: this.#fileOf(place.accessKey),
          secretKeyFile: this.#fileOf(place.secretKey),
          ...present({ sessionTokenFile }),
        };
        const caFile = this.#fileOf(place.caBundle);
        const full = isFolder && path !== '' ? `${path}/` : path;
        const where = { kind: 's3', endpoint, region, bucket, pathStyle, path: full };
        return { ...where, credentials, caFile };
      }
      case 'http': {
        const base = place.path === '' ? place.url : place.url.replace(/\/?$/, '/');
        const url = `${base}${place.path.split('/').map(encodeURIComponent).join('/')}`;
        const tokenFile = this.#fileOf(place.token);
        return { kind: 'http', url, tokenFile, caFile: this.#fileOf(place.caBundle) };
      }
      case 'rclone': {
        const { backend, path, options } = place;
        const secretOptions = Object.fromEntries(
          Object.entries(place.secretOptions).map(([name, key]) => [name, this.#fileOf(key)]),
        );
        return { kind: 'rclone', backend, path, options, secretOptions };
      }
    }
  }
}

const withoutUndefined = (fields: { readonly [field: string]: unknown }): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as JsonObject;
