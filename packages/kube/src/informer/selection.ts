/** Which objects of a kind are meant; all of them, unless told. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Nothing but metadata is read of them, so that a server may leave out the rest. */
  readonly metadataOnly?: boolean;
}
