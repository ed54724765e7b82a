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
export const OPTION_NAMES = {
  endpoint: ['endpoint', 'alluxio.underfs.s3.endpoint', 'fs.s3.endpoint', 'fs.oss.endpoint'],
  region: ['region', 'alluxio.underfs.s3.region', 'fs.s3.region', 'fs.oss.region'],
  pathStyle: ['path-style', 'alluxio.underfs.s3.disable.dns.buckets'],
  accessKey: ['access-key', 'aws.accessKeyId', 'fs.s3.accessKeyId', 'fs.oss.accessKeyId'],
  secretKey: ['secret-key', 'aws.secretKey', 'fs.s3.accessKeySecret', 'fs.oss.accessKeySecret'],
  sessionToken: ['token', 'aws.sessionToken', 'fs.s3.securityToken', 'fs.oss.securityToken'],
  caBundle: ['ca-bundle'],
} as const;

export const wrong = (message: string): FoundStorage => ({ kind: 'wrong', message });

export const secretOf = (
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
export const badKey = ({ encryptOptions = [] }: StorageAccess): string | undefined =>
  encryptOptions
    .map(({ name, valueFrom }) => valueFrom?.secretKeyRef?.key || name)
    .find((key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key) || key.startsWith('..') || key === '.');

export const optionOf = (
  { options = {} }: StorageAccess,
  names: readonly string[],
): string | undefined =>
  names.map((name) => options[name]).find((value) => value !== undefined && value !== '');
