/** Location prefixes, and the clusters that hold the data below them. */
export type LocationMapping = { readonly [prefix: string]: readonly string[] };

/** The clusters for a location by its longest matching prefix; undefined if none matches. */
export const mapLocation = (
  location: string,
  mapping: LocationMapping,
): readonly string[] | undefined => {
  const [longest] = Object.keys(mapping)
    .filter((prefix) => location.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : mapping[longest];
};
