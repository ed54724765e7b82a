/** Which objects of a kind are meant; all of them, unless told. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}
