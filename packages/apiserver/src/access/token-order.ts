/** The object whose deletion ends a token. */
export interface BoundObjectRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** A request for a token of a service account. */
export interface TokenOrder {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Audiences of the token; those of the cluster by default. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef?: BoundObjectRef;
}

export interface IssuedToken {
  /** Audiences of the token. */
  readonly audiences: readonly string[];
  readonly token: string;
  readonly expirationTimestamp: string;
}
