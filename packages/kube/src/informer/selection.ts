/** Selects objects of a kind, all by default. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Nothing but metadata is read of them, so that a server may leave out the rest. */
  readonly metadataOnly?: boolean;
}
