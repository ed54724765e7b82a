/** A certificate that proves who the client is, and its private key, both in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Credentials for a server. None at all are allowed: an anonymous client. */
export interface Credentials {
  /** The value of the Authorization header. */
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

/**
 * Gives the credentials for the next request; asked before each one, so it keeps them at hand. After
 * the server has answered 401 it is asked again with what was rejected, and gives something newer or,
 * if there is nothing newer, the same object.
 */
export type CredentialSource = (rejected?: Credentials) => Promise<Credentials>;

/** Acting as somebody else, which the server allows to those who have the right to impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** Address of an API server, and the credentials for it. */
export interface ClusterConfig {
  /** The base URL; it may have a path, such as `https://host/clusters/member1`. */
  readonly server: string;
  /** The source of this configuration for error messages: `context "prod" of /home/me/.kube/config`. */
  readonly source?: string;
  /** The namespace to use where the user names none. */
  readonly namespace?: string;
  /** The authorities that may have signed the server's certificate, in PEM; the system's if absent. */
  readonly caBundle?: string;
  /** The name that the server's certificate must have, if not the host of the URL. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly proxyUrl?: string;
  readonly credentials?: CredentialSource;
  readonly impersonate?: Impersonation;
}
