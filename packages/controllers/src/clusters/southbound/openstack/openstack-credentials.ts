import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { ConfigError } from '@perigee/kube/errors';
import type { Secret } from '@perigee/kubernetes/core/secret';
import { present } from '@perigee/schema/present';
import { isSameAddress } from '../../../members/same-address.ts';

/** The address of an OpenStack cloud and the credentials for it. */
export interface OpenStackCredentials {
  /** The address of Keystone, without `/v3`. */
  readonly authUrl: string;
  /** The body of the token request to Keystone. */
  readonly auth: object;
  /** The region of the catalogue; any if absent. */
  readonly region?: string;
  readonly caBundle?: string;
  /** Allows sending credentials to another machine without TLS. */
  readonly allowsPlainText: boolean;
  /** The origin of these settings, for errors. */
  readonly source: string;
}

/** The keys of the Secret. */
const KEYS = [
  'authUrl',
  'applicationCredentialId',
  'applicationCredentialSecret',
  'username',
  'password',
  'userDomainName',
  'projectName',
  'projectDomainName',
  'projectId',
  'region',
  'caBundle',
  'allowPlainText',
] as const;
type Values = { readonly [key in (typeof KEYS)[number]]?: string };

const valuesOf = ({ data = {} }: Secret): Values =>
  Object.fromEntries(
    KEYS.flatMap((key) => {
      const text = Buffer.from(data[key] ?? '', 'base64').toString('utf8');
      // Strips the final newline that an editor adds, but no spaces: a password may end with one.
      const value = text.replace(/\r?\n$/, '');
      return value === '' ? [] : [[key, value]];
    }),
  );

const authOf = (values: Values, source: string): object => {
  const { applicationCredentialId: id, applicationCredentialSecret: secret } = values;
  if (id !== undefined && secret !== undefined) {
    return {
      identity: { methods: ['application_credential'], application_credential: { id, secret } },
    };
  }
  const { username, password, projectId, projectName } = values;
  if (username === undefined || password === undefined) {
    throw new ConfigError(
      `${source} has no way to log in: give it applicationCredentialId and applicationCredentialSecret, or username and password`,
    );
  }
  if (projectId === undefined && projectName === undefined) {
    throw new ConfigError(`${source} names no project: give it projectId, or projectName`);
  }
  const { userDomainName = 'Default', projectDomainName = 'Default' } = values;
  const user = { name: username, domain: { name: userDomainName }, password };
  const project =
    projectId === undefined
      ? { name: projectName, domain: { name: projectDomainName } }
      : { id: projectId };
  return { identity: { methods: ['password'], password: { user } }, scope: { project } };
};

/** Reads the credentials of a cloud. They are only ever sent to the address in the same Secret. */
export const openStackCredentials = (
  { metadata, spec }: ClusterRecord,
  secret: Secret,
): OpenStackCredentials => {
  const source = `the Secret ${secret.metadata.namespace}/${secret.metadata.name}`;
  const values = valuesOf(secret);
  const authUrl = values.authUrl ?? spec.apiEndpoint;
  if (authUrl && spec.apiEndpoint && !isSameAddress(authUrl, spec.apiEndpoint)) {
    throw new ConfigError(
      `spec.apiEndpoint of cluster ${metadata.name} is not the authUrl in ${source}, which alone gets these credentials: leave spec.apiEndpoint out, or say the same`,
    );
  }
  if (authUrl === undefined || !URL.canParse(authUrl) || !/^https?:/.test(authUrl)) {
    throw new ConfigError(
      `cluster ${metadata.name} has no address of Keystone: put authUrl, such as https://cloud.example:5000, into ${source}, or set spec.apiEndpoint`,
    );
  }
  const { region, caBundle, allowPlainText } = values;
  return {
    authUrl: authUrl.replace(/(?<!\/)\/+$/, '').replace(/\/v3$/, ''),
    auth: authOf(values, source),
    source,
    allowsPlainText: allowPlainText === 'true',
    ...present({ region, caBundle }),
  };
};
