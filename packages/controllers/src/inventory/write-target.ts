import { Cluster as Target } from '@perigee/api/kinds/karmada/cluster';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isNotFound } from '@perigee/kube/errors';
import type { DesiredTarget } from '@perigee/scheduling/inventory/execution-target';
import { applicableParts } from '@perigee/scheduling/inventory/owned-fields';

export const FIELD_MANAGER = 'perigee-inventory';

/** The target as it is now, with who wrote what. */
export const readTarget = async (
  name: string,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
): Promise<Target | undefined> => {
  try {
    return await client.get(Target, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

export interface WriteTargetOptions {
  /** Whether the target is the inventory's alone, whoever else wrote to it. */
  readonly isOwn: boolean;
}

/** Makes the target, or makes it agree with the record as far as nobody else has a say in it. */
export const writeTarget = async (
  desired: DesiredTarget,
  { isOwn }: WriteTargetOptions,
  context: ReconcileContext,
): Promise<void> => {
  const { client, signal } = context;
  const { name } = desired.metadata;
  const present = isOwn ? undefined : await readTarget(name, context);
  const { metadata, spec } = applicableParts(desired, present, FIELD_MANAGER);
  const body = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    // An empty one would take away what was applied before, and leave null.
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    metadata: { ...metadata, name },
  };
  await client.patch(
    Target,
    { name },
    { type: 'apply', body, fieldManager: FIELD_MANAGER, force: isOwn },
    { signal },
  );
};
