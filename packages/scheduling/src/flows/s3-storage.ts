import { normalisePath } from './paths.ts';
import {
  type FoundStorage,
  OPTION_NAMES,
  optionOf,
  type StorageAccess,
  secretOf,
  wrong,
} from './storage-access.ts';

/** An address without a scheme uses TLS. */
const addressOf = (text: string): string | undefined => {
  const full = /^https?:\/\//.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return undefined;
  const { username, password, search, hash, href } = new URL(full);
  return username || password || search || hash ? undefined : href.replace(/\/$/, '');
};

export const s3Storage = (
  uri: string,
  bucket: string,
  path: string,
  access: StorageAccess,
  { endpoint: own, pathStyle: ownStyle }: { endpoint?: string; pathStyle?: boolean } = {},
): FoundStorage => {
  const visible = [...OPTION_NAMES.secretKey, ...OPTION_NAMES.sessionToken].find(
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
  const address = optionOf(access, OPTION_NAMES.endpoint);
  const endpoint = address === undefined ? own : addressOf(address);
  if (address !== undefined && endpoint === undefined) {
    return wrong(`${uri}: the endpoint must be a URL without credentials and query`);
  }
  const accessKey = secretOf(access, OPTION_NAMES.accessKey);
  const secretKey = secretOf(access, OPTION_NAMES.secretKey);
  if ((accessKey === undefined) !== (secretKey === undefined)) {
    return wrong(`${uri}: access-key and secret-key belong together, both in encryptOptions`);
  }
  const style = optionOf(access, OPTION_NAMES.pathStyle);
  return {
    kind: 's3',
    endpoint,
    region: optionOf(access, OPTION_NAMES.region),
    bucket,
    pathStyle: style === undefined ? ownStyle : style === 'true',
    path: normalisePath(path),
    isFolder: path.endsWith('/'),
    accessKey,
    secretKey,
    sessionToken: secretOf(access, OPTION_NAMES.sessionToken),
    caBundle: secretOf(access, OPTION_NAMES.caBundle),
  };
};
