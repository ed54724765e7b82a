import { BACKENDS, rcloneStorage } from './rclone-storage.ts';
import { s3Storage } from './s3-storage.ts';
import {
  badKey,
  type FoundStorage,
  OPTION_NAMES,
  optionOf,
  type StorageAccess,
  secretOf,
  wrong,
} from './storage-access.ts';

const webStorage = (uri: string, access: StorageAccess): FoundStorage => {
  if (!URL.canParse(uri)) return wrong(`${uri} is no URL`);
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') {
    return wrong(
      'a URL must not hold credentials: put them into a Secret, and that into encryptOptions',
    );
  }
  // Fluid's engines write S3-compatible stores without a scheme of their own like this.
  if (secretOf(access, OPTION_NAMES.accessKey) !== undefined) {
    const [, bucket = '', ...steps] = url.pathname.split('/');
    const own = { endpoint: url.origin, pathStyle: true };
    return s3Storage(uri, bucket, steps.join('/'), access, own);
  }
  const token = secretOf(access, OPTION_NAMES.sessionToken);
  if (token !== undefined && url.protocol !== 'https:') {
    return wrong(`${uri}: a token is sent over https only`);
  }
  return {
    kind: 'http',
    url: url.href,
    path: '',
    token,
    caBundle: secretOf(access, OPTION_NAMES.caBundle),
  };
};

/** The remote storage of a URL with its options. */
export const remoteStorageOf = (uri: string, access: StorageAccess): FoundStorage | undefined => {
  const [, scheme = '', host = '', path = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/]*)\/?(.*)$/s.exec(uri) ?? [];
  if (path.split('/').includes('..')) return wrong(`${uri}: the path climbs out of its root`);
  const bad = badKey(access);
  if (bad !== undefined) return wrong(`${uri}: "${bad}" cannot be a key of a Secret`);
  switch (scheme) {
    case 's3':
    case 's3a':
      return s3Storage(uri, host, path, access);
    case 'oss': {
      const isReachable = optionOf(access, OPTION_NAMES.endpoint) !== undefined;
      if (!isReachable) return wrong(`${uri}: oss:// needs the option endpoint`);
      return s3Storage(uri, host, path, access, { pathStyle: false });
    }
    case 'minio': {
      const [bucket = '', ...steps] = path.split('/');
      const own = { endpoint: `http://${host}`, pathStyle: true };
      return s3Storage(uri, bucket, steps.join('/'), access, own);
    }
    case 'http':
    case 'https':
      return webStorage(uri, access);
    default:
      return scheme === 'rclone' || Object.hasOwn(BACKENDS, scheme)
        ? rcloneStorage(uri, scheme, host, path, access)
        : undefined;
  }
};
