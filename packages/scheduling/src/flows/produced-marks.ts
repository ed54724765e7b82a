import type { ObjectMeta } from '@perigee/api/meta/object-meta';

/** Holds the uid of the DataProcess that made the object. */
export const PRODUCED_BY = 'policy.perigee.io/produced-by';

/** On a DataSource: the dataset in whose claims the data lies, as namespace/name. */
export const PRODUCED_FROM = 'policy.perigee.io/produced-from';

export const producedBy = ({ annotations }: Pick<ObjectMeta, 'annotations'>): string | undefined =>
  annotations?.[PRODUCED_BY];
