/** The object with which a token is to end. */
export interface BoundObjectRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** A token that somebody wants for a service account. */
export interface TokenOrder {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Those of the cluster unless given. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef?: BoundObjectRef;
}

export interface IssuedToken {
  /** For whom it is. */
  readonly audiences: readonly string[];
  readonly token: string;
  readonly expirationTimestamp: string;
}
