import type { ObjectMeta } from '@perigee/api/meta/object-meta';

/** Holds the uid of the DataProcess that made the object. */
const PRODUCED_BY = 'policy.perigee.io/produced-by';

export const producedBy = ({ annotations }: Pick<ObjectMeta, 'annotations'>): string | undefined =>
  annotations?.[PRODUCED_BY];
