import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import type { Logger } from '@perigee/kube/observe/logger';
import {
  type CertificateRequest,
  createKey,
  issueCertificate,
  type KeyPair,
} from '@perigee/kube/pki/certificate-authority';
import { holds, leafValidity, validityOf } from '@perigee/kube/pki/validity';
import { MASTERS } from '@perigee/kubernetes/authorization/attributes';
import { checkDnsSubdomain } from '@perigee/schema/values/names';
import { readAuthority } from './authority.ts';
import { ALL_CLUSTERS, ROOT_CLUSTER, unitsOfClusters } from './cluster-units.ts';
import { keyFile, parseKey, readKeyPair, writeKeyPair } from './key-pair-files.ts';
import type { SecretFiles } from './secret-files.ts';

/** The names under which a cluster finds its own API, and those of this machine. */
const OWN_NAMES: readonly string[] = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

const isName = (name: string): boolean =>
  isIP(name) !== 0 || checkDnsSubdomain(name.replace(/^\*\./, '')).length === 0;

/** All names of a serving certificate: its own, and those that the operator asks for. */
const servingNames = (requestedNames: readonly string[] = []): readonly string[] => {
  const wrong = requestedNames.find((name) => !isName(name));
  if (wrong !== undefined) {
    throw new ConfigError(
      `${JSON.stringify(wrong)} is no name for a server: give a DNS name such as api.example.com, or an IP address`,
    );
  }
  return [...new Set([...OWN_NAMES, ...requestedNames])];
};

/** True if a certificate is good for every one of the names. */
const hasNames = (certificate: X509Certificate, names: readonly string[]): boolean => {
  const alternativeNames = new Set(certificate.subjectAltName?.split(', '));
  return names.every((name) =>
    isIP(name) ? certificate.checkIP(name) !== undefined : alternativeNames.has(`DNS:${name}`),
  );
};

export interface PkiOptions {
  readonly files: SecretFiles;
  readonly clock: Clock;
  /** Logs when the authority was replaced. */
  readonly logger?: Logger;
  /** Further DNS names and addresses that the server is reached by. */
  readonly names?: readonly string[];
}

export interface ClientRequest {
  readonly user: string;
  readonly groups?: readonly string[];
  /** Clusters in which the certificate is valid: names of members, `root`, or `*` for all of them. */
  readonly clusters: readonly string[];
}

/** The keys and certificates of one server. */
export interface Pki {
  /** The certificate of the authority, in PEM: who trusts it trusts the server. */
  readonly authority: string;
  readonly serving: KeyPair;
  /** For the operator of the server: has all permissions in all clusters. */
  readonly admin: KeyPair;
  /** The key that signs the service account tokens of one cluster, in PEM; made when first asked for. */
  serviceAccountKey(cluster: string): string;
  /** Removes that key: no token of the cluster is good any more. */
  removeServiceAccountKey(cluster: string): void;
  issueClient(request: ClientRequest): KeyPair;
  /** A certificate like `serving`, for one more name. Its dates do not reveal when it was requested. */
  issueServing(name: string): KeyPair;
  /** All that is kept, as it takes to have the same keys and certificates elsewhere. */
  files(): readonly { readonly file: string; readonly content: string }[];
  /** Renews the certificates that expire soon or are not valid yet; returns true if there were any. */
  renew(): boolean;
}

const DAY_MS = 86_400_000;
const LEAF_MS = 365 * DAY_MS;
const RENEWED_MS = 30 * DAY_MS;

export const ADMIN_NAME = 'perigee-admin';

/** The certificate that is there, unless it ends soon, is yet to begin, or is not what it has to be. */
const readLeaf = (
  { files, clock }: PkiOptions,
  authority: KeyPair,
  name: string,
  request: Omit<CertificateRequest, 'validity'>,
): KeyPair => {
  const storedPair = readKeyPair(files, name);
  const { publicKey } = new X509Certificate(authority.cert);
  if (
    storedPair?.isWhole &&
    storedPair.certificate.verify(publicKey) &&
    holds(validityOf(storedPair.certificate), clock.now(), RENEWED_MS) &&
    hasNames(storedPair.certificate, request.names ?? [])
  ) {
    return storedPair;
  }
  const validity = leafValidity(clock.now(), LEAF_MS);
  const newPair = issueCertificate(authority, { ...request, validity });
  writeKeyPair(files, name, newPair);
  return newPair;
};

const signingKeyFile = (cluster: string): string => {
  if (checkDnsSubdomain(cluster).length > 0) {
    throw new ConfigError(`${JSON.stringify(cluster)} cannot be the name of a cluster`);
  }
  return cluster === ROOT_CLUSTER ? keyFile('sa') : keyFile(`sa-${cluster}`);
};

const readSigningKey = (files: SecretFiles, cluster: string): string => {
  const name = signingKeyFile(cluster);
  const storedKey = files.readSecret(name);
  if (storedKey !== undefined) {
    parseKey(files.where(name), storedKey);
    return storedKey;
  }
  const key = createKey();
  files.write(name, key);
  return key;
};

/** Reads the keys and certificates of a server, and makes those that are missing or about to end. */
export const openPki = (options: PkiOptions): Pki => {
  const { files, clock } = options;
  const names = servingNames(options.names);
  let authority = readAuthority(options);
  const servingRequest = { commonName: 'perigee-apiserver', usage: 'server', names } as const;
  const readServing = (): KeyPair => readLeaf(options, authority, 'apiserver', servingRequest);
  const readAdmin = (): KeyPair =>
    readLeaf(options, authority, 'admin', {
      commonName: ADMIN_NAME,
      organizations: [MASTERS],
      units: unitsOfClusters([ALL_CLUSTERS]),
      usage: 'client',
    });
  let serving = readServing();
  let admin = readAdmin();
  return {
    get authority() {
      return authority.cert;
    },
    get serving() {
      return serving;
    },
    get admin() {
      return admin;
    },
    serviceAccountKey: (cluster) => readSigningKey(files, cluster),
    removeServiceAccountKey: (cluster) => files.remove(signingKeyFile(cluster)),
    issueClient: ({ user, groups = [], clusters }) =>
      issueCertificate(authority, {
        commonName: user,
        organizations: groups,
        units: unitsOfClusters(clusters),
        usage: 'client',
        validity: leafValidity(clock.now(), LEAF_MS),
      }),
    issueServing: (name) =>
      issueCertificate(authority, {
        ...servingRequest,
        names: [...names, name],
        validity: validityOf(serving.cert),
      }),
    files: () =>
      files.names().flatMap((file) => {
        const content = files.readPublic(file);
        return content === undefined ? [] : [{ file, content }];
      }),
    renew: () => {
      const before = serving.cert + admin.cert;
      authority = readAuthority(options);
      serving = readServing();
      admin = readAdmin();
      return serving.cert + admin.cert !== before;
    },
  };
};
