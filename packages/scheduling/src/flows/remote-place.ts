import { present } from '@perigee/schema/present';
import { normalisePath } from './paths.ts';

/** An entry of a Secret of the namespace. */
export interface SecretKey {
  readonly secret: string;
  readonly key: string;
}

/** Options of a storage beside its URL. */
export interface StorageAccess {
  readonly options?: { readonly [name: string]: string } | undefined;
  readonly encryptOptions?:
    | readonly {
        readonly name: string;
        readonly valueFrom?: {
          readonly secretKeyRef?: { readonly name: string; readonly key?: string };
        };
      }[]
    | undefined;
}

export interface S3Storage {
  readonly kind: 's3';
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly bucket: string;
  readonly pathStyle: boolean | undefined;
  readonly path: string;
  readonly isFolder: boolean;
  readonly accessKey: SecretKey | undefined;
  readonly secretKey: SecretKey | undefined;
  readonly sessionToken: SecretKey | undefined;
  /** CA certificates to trust. */
  readonly caBundle: SecretKey | undefined;
}

export interface HttpStorage {
  readonly kind: 'http';
  readonly url: string;
  readonly path: string;
  readonly token: SecretKey | undefined;
  readonly caBundle: SecretKey | undefined;
}

/** A storage that rclone reaches. */
export interface RcloneStorage {
  readonly kind: 'rclone';
  readonly backend: string;
  readonly path: string;
  readonly options: { readonly [name: string]: string };
  readonly secretOptions: { readonly [name: string]: SecretKey };
}

export type RemoteStorage = S3Storage | HttpStorage | RcloneStorage;
export type FoundStorage = RemoteStorage | { readonly kind: 'wrong'; readonly message: string };

/** The names of options: ours first, then those of Fluid's engines. */
const NAMES = {
  endpoint: ['endpoint', 'alluxio.underfs.s3.endpoint', 'fs.s3.endpoint', 'fs.oss.endpoint'],
  region: ['region', 'alluxio.underfs.s3.region', 'fs.s3.region', 'fs.oss.region'],
  pathStyle: ['path-style', 'alluxio.underfs.s3.disable.dns.buckets'],
  accessKey: ['access-key', 'aws.accessKeyId', 'fs.s3.accessKeyId', 'fs.oss.accessKeyId'],
  secretKey: ['secret-key', 'aws.secretKey', 'fs.s3.accessKeySecret', 'fs.oss.accessKeySecret'],
  sessionToken: ['token', 'aws.sessionToken', 'fs.s3.securityToken', 'fs.oss.securityToken'],
  caBundle: ['ca-bundle'],
} as const;

/** Backends of rclone that reach remote storage, and nothing of the local machine. */
const BACKENDS: { readonly [scheme: string]: string } = {
  hdfs: 'hdfs',
  gs: 'google cloud storage',
  azureblob: 'azureblob',
  sftp: 'sftp',
  ftp: 'ftp',
  webdav: 'webdav',
  swift: 'swift',
  b2: 'b2',
  smb: 'smb',
};

/** Options that would switch the backend of rclone, run programs, read files or use the machine's identity. */
const DANGEROUS = /^type$|command|^ssh$|_file$|_path$|^env_auth$|^use_msi$|^use_az$|^config|agent/;

/** Credential options: they must come from a Secret, as ConfigMaps are readable by many. */
const CREDENTIALS = /pass|secret|token|credential|^key$|key_pem|_key$/;

const wrong = (message: string): FoundStorage => ({ kind: 'wrong', message });

const secretOf = (
  { encryptOptions = [] }: StorageAccess,
  names: readonly string[],
): SecretKey | undefined => {
  for (const name of names) {
    const option = encryptOptions.find((one) => one.name === name);
    const reference = option?.valueFrom?.secretKeyRef;
    if (reference !== undefined) return { secret: reference.name, key: reference.key || name };
  }
  return undefined;
};

/** Keys become file names. */
const badKey = ({ encryptOptions = [] }: StorageAccess): string | undefined =>
  encryptOptions
    .map(({ name, valueFrom }) => valueFrom?.secretKeyRef?.key || name)
    .find((key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key) || key.startsWith('..') || key === '.');

const optionOf = ({ options = {} }: StorageAccess, names: readonly string[]): string | undefined =>
  names.map((name) => options[name]).find((value) => value !== undefined && value !== '');

/** An address without a scheme uses TLS. */
const addressOf = (text: string): string | undefined => {
  const full = /^https?:\/\//.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return undefined;
  const { username, password, search, hash, href } = new URL(full);
  return username || password || search || hash ? undefined : href.replace(/\/$/, '');
};

const s3Storage = (
  uri: string,
  bucket: string,
  path: string,
  access: StorageAccess,
  { endpoint: own, pathStyle: ownStyle }: { endpoint?: string; pathStyle?: boolean } = {},
): FoundStorage => {
  const visible = [...NAMES.secretKey, ...NAMES.sessionToken].find(
    (name) => access.options?.[name] !== undefined,
  );
  if (visible !== undefined) {
    return wrong(
      `${uri}: the option ${visible} is secret: put it into a Secret, and that into encryptOptions`,
    );
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    return wrong(`${uri}: "${bucket}" is no name of a bucket; write s3://bucket/folder`);
  }
  const said = optionOf(access, NAMES.endpoint);
  const endpoint = said === undefined ? own : addressOf(said);
  if (said !== undefined && endpoint === undefined) {
    return wrong(`${uri}: the endpoint must be a URL without credentials and query`);
  }
  const accessKey = secretOf(access, NAMES.accessKey);
  const secretKey = secretOf(access, NAMES.secretKey);
  if ((accessKey === undefined) !== (secretKey === undefined)) {
    return wrong(`${uri}: access-key and secret-key belong together, both in encryptOptions`);
  }
  const style = optionOf(access, NAMES.pathStyle);
  return {
    kind: 's3',
    endpoint,
    region: optionOf(access, NAMES.region),
    bucket,
    pathStyle: style === undefined ? ownStyle : style === 'true',
    path: normalisePath(path),
    isFolder: path.endsWith('/'),
    accessKey,
    secretKey,
    sessionToken: secretOf(access, NAMES.sessionToken),
    caBundle: secretOf(access, NAMES.caBundle),
  };
};

const webStorage = (uri: string, access: StorageAccess): FoundStorage => {
  if (!URL.canParse(uri)) return wrong(`${uri} is no URL`);
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') {
    return wrong(
      'a URL must not hold credentials: put them into a Secret, and that into encryptOptions',
    );
  }
  // Fluid's engines write S3-compatible stores without a scheme of their own like this.
  if (secretOf(access, NAMES.accessKey) !== undefined) {
    const [, bucket = '', ...steps] = url.pathname.split('/');
    const own = { endpoint: url.origin, pathStyle: true };
    return s3Storage(uri, bucket, steps.join('/'), access, own);
  }
  const token = secretOf(access, NAMES.sessionToken);
  if (token !== undefined && url.protocol !== 'https:') {
    return wrong(`${uri}: a token is sent over https only`);
  }
  return {
    kind: 'http',
    url: url.href,
    path: '',
    token,
    caBundle: secretOf(access, NAMES.caBundle),
  };
};

const rcloneStorage = (
  uri: string,
  scheme: string,
  host: string,
  path: string,
  { options = {}, encryptOptions = [] }: StorageAccess,
): FoundStorage => {
  const backend = scheme === 'rclone' ? host : (BACKENDS[scheme] ?? '');
  if (!Object.values(BACKENDS).includes(backend)) {
    return wrong(
      `${uri}: there is no ${backend}; rclone may use ${Object.values(BACKENDS).join(', ')}`,
    );
  }
  const names = [...Object.keys(options), ...encryptOptions.map(({ name }) => name)];
  const bad = names.find((name) => DANGEROUS.test(name) || !/^[a-z0-9_]{1,64}$/.test(name));
  if (bad !== undefined) return wrong(`${uri}: the option ${bad} is not allowed for ${backend}`);
  const open = Object.keys(options).find((name) => CREDENTIALS.test(name));
  if (open !== undefined) {
    return wrong(`${uri}: the option ${open} belongs into a Secret, and that into encryptOptions`);
  }
  const [name = '', port] = host.split(':');
  const own: { readonly [name: string]: string } =
    scheme === 'hdfs'
      ? { namenode: host }
      : ['sftp', 'ftp', 'smb'].includes(scheme)
        ? { host: name, ...present({ port: port || undefined }) }
        : scheme === 'webdav'
          ? { url: `https://${host}` }
          : backend === BACKENDS.gs && encryptOptions.length === 0
            ? // Without credentials rclone would ask the machine for its own.
              { anonymous: 'true' }
            : {};
  const isInPath = own.anonymous !== undefined || Object.keys(own).length === 0;
  return {
    kind: 'rclone',
    backend,
    path: isInPath && scheme !== 'rclone' ? `${host}/${path}` : path,
    options: { ...options, ...own },
    secretOptions: Object.fromEntries(
      encryptOptions.flatMap(({ name: option, valueFrom }) => {
        const reference = valueFrom?.secretKeyRef;
        if (reference === undefined) return [];
        return [[option, { secret: reference.name, key: reference.key || option }]];
      }),
    ),
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
      const isReachable = optionOf(access, NAMES.endpoint) !== undefined;
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
      return scheme === 'rclone' || scheme in BACKENDS
        ? rcloneStorage(uri, scheme, host, path, access)
        : undefined;
  }
};
