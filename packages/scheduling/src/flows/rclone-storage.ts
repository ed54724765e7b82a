import { present } from '@perigee/schema/present';
import { type FoundStorage, type SecretKey, type StorageAccess, wrong } from './storage-access.ts';

/** Backends of rclone that reach remote storage, and nothing of the local machine. */
export const BACKENDS: { readonly [scheme: string]: string } = {
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
const CREDENTIALS =
  /pass|secret|token|credential|^key$|key_pem|_key$|^sas_url$|^connection_string$|^headers$/;

/** The options by which rclone signs in to Google; given any other, it asks the machine for its identity. */
const GOOGLE_KEYS = /^(service_account_credentials|access_token|token)$/;

const secretsIn = ({
  encryptOptions = [],
}: StorageAccess): readonly (readonly [string, SecretKey])[] =>
  encryptOptions.flatMap(({ name, valueFrom }) => {
    const reference = valueFrom?.secretKeyRef;
    return reference === undefined
      ? []
      : [[name, { secret: reference.name, key: reference.key || name }] as const];
  });

export const rcloneStorage = (
  uri: string,
  scheme: string,
  host: string,
  path: string,
  access: StorageAccess,
): FoundStorage => {
  const { options = {}, encryptOptions = [] } = access;
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
  const secrets = secretsIn(access);
  const [name = '', port] = host.split(':');
  const own: { readonly [name: string]: string } =
    scheme === 'hdfs'
      ? { namenode: host }
      : ['sftp', 'ftp', 'smb'].includes(scheme)
        ? { host: name, ...present({ port: port || undefined }) }
        : scheme === 'webdav'
          ? { url: `https://${host}` }
          : backend === BACKENDS.gs && !secrets.some(([option]) => GOOGLE_KEYS.test(option))
            ? // Without credentials rclone would ask the machine for its own.
              { anonymous: 'true' }
            : {};
  const isInPath = own.anonymous !== undefined || Object.keys(own).length === 0;
  return {
    kind: 'rclone',
    backend,
    path: isInPath && scheme !== 'rclone' ? `${host}/${path}` : path,
    options: { ...options, ...own },
    // The mover lets a secret option win over an open one of its name.
    secretOptions: Object.fromEntries(secrets.filter(([option]) => !Object.hasOwn(own, option))),
  };
};
