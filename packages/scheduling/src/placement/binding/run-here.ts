import type { KubeObject } from '@perigee/api/meta/object-meta';

/** Hands a Dataset or an operation to the Fluid of members: policies then propagate it unchanged. */
const RUN_BY = 'flows.perigee.io/run-by';

/** True if the control plane runs a Dataset or an operation, instead of the Fluid of members. */
export const isRunHere = ({
  apiVersion,
  metadata,
}: Pick<KubeObject, 'apiVersion' | 'metadata'>): boolean =>
  apiVersion.startsWith('data.fluid.io/') && metadata.annotations?.[RUN_BY] !== 'member';
