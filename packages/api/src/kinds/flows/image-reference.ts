/** An image as Fluid writes it: the tag apart from the rest. */
export interface SplitImage {
  readonly image: string;
  readonly imageTag?: string;
}

/**
 * Takes the tag off an image reference. The colon of a tag comes after the last slash; one before it
 * belongs to the port of a registry. A reference with a digest stays whole: the digest decides which
 * image runs, and there is no tag that could stand for it.
 */
export const splitImage = (reference: string): SplitImage => {
  const colon = reference.lastIndexOf(':');
  if (reference.includes('@') || colon <= reference.lastIndexOf('/')) return { image: reference };
  return { image: reference.slice(0, colon), imageTag: reference.slice(colon + 1) };
};
