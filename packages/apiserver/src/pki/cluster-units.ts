/** The root control plane, in whose place members are addressed by their names. */
export const ROOT_CLUSTER = 'root';

/** Stands for the root and for all members, also those that come later. */
export const ALL_CLUSTERS = '*';

const PREFIX = 'perigee:cluster:';

/** The organizational units of a certificate that is valid for these clusters. */
export const unitsOfClusters = (clusters: readonly string[]): readonly string[] =>
  clusters.map((cluster) => PREFIX + cluster);

/** True if units name a cluster. A certificate that names none is valid nowhere. */
export const unitsNameCluster = (units: readonly string[], cluster: string): boolean =>
  units.includes(PREFIX + cluster) || units.includes(PREFIX + ALL_CLUSTERS);
