/** Prefixes of locations, and the clusters that have what is there. */
export type LocationMapping = { readonly [prefix: string]: readonly string[] };

/** The clusters that have what is at a location, by the longest prefix; nothing when no prefix fits. */
export const mapLocation = (
  location: string,
  mapping: LocationMapping,
): readonly string[] | undefined => {
  const [longest] = Object.keys(mapping)
    .filter((prefix) => location.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : mapping[longest];
};
