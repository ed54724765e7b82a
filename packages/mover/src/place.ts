import { MoveError } from './errors.ts';
import {
  fieldsOf,
  flagOf,
  type Json,
  optionalText,
  refuse,
  textOf,
  textsOf,
} from './order-fields.ts';

/** A place in a file system of this machine: `path` is relative, and nothing outside `root` is reached. */
export interface LocalPlace {
  readonly kind: 'local';
  readonly root: string;
  readonly path: string;
}

/** A place in a bucket of S3, or of a store that is like it. Credentials are in files, never in an order. */
export interface S3Place {
  readonly kind: 's3';
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The name of the bucket is in the path of requests, not in the name of the host. */
  readonly pathStyle: boolean;
  readonly path: string;
  /** It was written with a slash at its end: no object is meant. */
  readonly isFolder: boolean;
  readonly credentials:
    | {
        readonly accessKeyFile: string;
        readonly secretKeyFile: string;
        readonly sessionTokenFile: string | undefined;
      }
    | undefined;
  readonly caFile: string | undefined;
}

/** A file of a web server, or an index page and all below it. */
export interface HttpPlace {
  readonly kind: 'http';
  readonly url: string;
  /** Holds a bearer token. */
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  /** SHA-256 of the one certificate to trust. */
  readonly pinnedCertificate: string | undefined;
}

/** A tree that another mover serves for this one. */
export interface PeerPlace {
  readonly kind: 'peer';
  readonly url: string;
  /** Holds the token of this transfer. */
  readonly tokenFile: string;
  /** SHA-256 of the certificate that was made for this transfer. */
  readonly pinnedCertificate: string;
}

/** A place in a store that rclone reaches. */
export interface RclonePlace {
  readonly kind: 'rclone';
  /** A backend of rclone, such as hdfs. */
  readonly backend: string;
  readonly path: string;
  readonly options: { readonly [name: string]: string };
  /** Options whose values stand in files. */
  readonly secretOptions: { readonly [name: string]: string };
}

/** Place of a tree that can be read. */
export type Place = LocalPlace | S3Place | HttpPlace | PeerPlace;
/** Place of a tree that can be written. */
export type TargetPlace = LocalPlace | S3Place;

/** A place for people, without anything that is secret. */
export const textOfPlace = (place: Place): string => {
  switch (place.kind) {
    case 'local':
      return place.path;
    case 's3':
      return `s3://${place.bucket}/${place.path}`;
    case 'peer':
    case 'http': {
      // A query may be a signature.
      const { origin, pathname } = new URL(place.url);
      return `${origin}${pathname}`;
    }
  }
};

/** The steps of a relative path. One that climbs out is refused, whatever comes after. */
export const stepsOf = (path: string): readonly string[] => {
  if (path.startsWith('/')) {
    throw new MoveError('PathOutside', `path ${path} must be relative to its root`, path);
  }
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  if (steps.includes('..')) {
    throw new MoveError('PathOutside', `path ${path} climbs out of its root`, path);
  }
  return steps;
};

const localPlace = (value: unknown, at: string): LocalPlace => {
  const fields = fieldsOf(value, at, ['kind', 'root', 'path']);
  const root = textOf(fields.root, `${at}.root`);
  if (!root.startsWith('/')) return refuse(`${at}.root must be an absolute path`);
  const path = stepsOf(textOf(fields.path ?? '', `${at}.path`)).join('/');
  return { kind: 'local', root, path };
};

/** An address without anything secret in it. */
const addressOf = (value: unknown, at: string): URL => {
  const text = textOf(value, at);
  const url = URL.canParse(text) ? new URL(text) : refuse(`${at} must be a URL`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`${at} must begin with https:// or http://`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse(`${at} must not hold credentials, which belong into files`);
  }
  return url;
};

const S3_FIELDS = [
  'kind',
  'endpoint',
  'region',
  'bucket',
  'pathStyle',
  'path',
  'credentials',
  'caFile',
];
const BUCKET = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,254}$/;

const credentialsOf = (value: unknown, at: string): S3Place['credentials'] => {
  if (value === undefined) return undefined;
  const fileFields = ['accessKeyFile', 'secretKeyFile', 'sessionTokenFile'];
  const fields = fieldsOf(value, at, fileFields);
  return {
    accessKeyFile: textOf(fields.accessKeyFile, `${at}.accessKeyFile`),
    secretKeyFile: textOf(fields.secretKeyFile, `${at}.secretKeyFile`),
    sessionTokenFile: optionalText(fields.sessionTokenFile, `${at}.sessionTokenFile`),
  };
};

const s3Place = (value: unknown, at: string): S3Place => {
  const fields = fieldsOf(value, at, S3_FIELDS);
  const bucket = textOf(fields.bucket, `${at}.bucket`);
  if (!BUCKET.test(bucket)) return refuse(`${at}.bucket is no name of a bucket`);
  const region = optionalText(fields.region, `${at}.region`) ?? 'us-east-1';
  const usual = `https://s3.${region}.amazonaws.com`;
  const { href, search, hash } = addressOf(fields.endpoint ?? usual, `${at}.endpoint`);
  if (search !== '' || hash !== '') return refuse(`${at}.endpoint must have no query`);
  const path = textOf(fields.path ?? '', `${at}.path`);
  return {
    kind: 's3',
    endpoint: href.replace(/\/$/, ''),
    region,
    bucket,
    // Names of hosts have no such dots in certificates.
    pathStyle: flagOf(fields, 'pathStyle', bucket.includes('.') || fields.endpoint !== undefined),
    path: stepsOf(path).join('/'),
    isFolder: path.endsWith('/'),
    credentials: credentialsOf(fields.credentials, `${at}.credentials`),
    caFile: optionalText(fields.caFile, `${at}.caFile`),
  };
};

const httpPlace = (value: unknown, at: string): HttpPlace => {
  const fields = fieldsOf(value, at, ['kind', 'url', 'tokenFile', 'caFile', 'pinnedCertificate']);
  const { href } = addressOf(fields.url, `${at}.url`);
  return {
    kind: 'http',
    url: href,
    tokenFile: optionalText(fields.tokenFile, `${at}.tokenFile`),
    caFile: optionalText(fields.caFile, `${at}.caFile`),
    pinnedCertificate: optionalText(fields.pinnedCertificate, `${at}.pinnedCertificate`),
  };
};

const peerPlace = (value: unknown, at: string): PeerPlace => {
  const fields = fieldsOf(value, at, ['kind', 'url', 'tokenFile', 'pinnedCertificate']);
  const { protocol, href } = addressOf(fields.url, `${at}.url`);
  if (protocol !== 'https:') return refuse(`${at}.url must begin with https://`);
  const pinnedCertificate = textOf(fields.pinnedCertificate, `${at}.pinnedCertificate`);
  if (!/^[0-9a-f]{64}$/.test(pinnedCertificate)) {
    return refuse(`${at}.pinnedCertificate must be a SHA-256 in hexadecimal digits`);
  }
  const tokenFile = textOf(fields.tokenFile, `${at}.tokenFile`);
  return { kind: 'peer', url: href.replace(/\/$/, ''), tokenFile, pinnedCertificate };
};

const rclonePlace = (value: unknown, at: string): RclonePlace => {
  const allowedFields = ['kind', 'backend', 'path', 'options', 'secretOptions'];
  const fields = fieldsOf(value, at, allowedFields);
  const backend = textOf(fields.backend, `${at}.backend`);
  if (!/^[a-z0-9][a-z0-9 ]{1,40}$/.test(backend)) return refuse(`${at}.backend is no backend`);
  const path = textOf(fields.path ?? '', `${at}.path`);
  if (path.split('/').includes('..')) {
    throw new MoveError('PathOutside', `path ${path} climbs out of its root`, path);
  }
  return {
    kind: 'rclone',
    backend,
    path,
    options: textsOf(fields.options, `${at}.options`),
    secretOptions: textsOf(fields.secretOptions, `${at}.secretOptions`),
  };
};

export const placeOf = (value: unknown, at: string): Place | RclonePlace => {
  const { kind } = fieldsOf(value, at, Object.keys((value as Json) ?? {}));
  switch (kind) {
    case 'local':
      return localPlace(value, at);
    case 's3':
      return s3Place(value, at);
    case 'http':
      return httpPlace(value, at);
    case 'peer':
      return peerPlace(value, at);
    case 'rclone':
      return rclonePlace(value, at);
    default:
      return refuse(`${at}.kind must be one of local, s3, http, peer, rclone`);
  }
};

/** A place that this program reaches itself. */
export const ownPlaceOf = (value: unknown, at: string): Place => {
  const place = placeOf(value, at);
  return place.kind === 'rclone' ? refuse(`${at} cannot be reached by rclone`) : place;
};

export const targetPlaceOf = (value: unknown, at: string): TargetPlace => {
  const place = ownPlaceOf(value, at);
  return place.kind === 'http' || place.kind === 'peer'
    ? refuse(`${at}: a web server, or another mover, can only be read`)
    : place;
};
