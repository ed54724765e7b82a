import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { DesiredTarget } from '@perigee/scheduling/clusters/inventory/execution-target';
import {
  applicableParts,
  type TargetWriter,
} from '@perigee/scheduling/clusters/inventory/owned-fields';
import { sameJson } from '@perigee/schema/same-json';

export const FIELD_MANAGER = 'perigee-inventory';

/** Reads the target from the server, with managed fields. */
export const readTarget = (
  name: string,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
): Promise<MemberCluster | undefined> =>
  getOrUndefined(client, MemberCluster, { name }, { signal });

/** Guards a change of credentials by the resource version: the address may have changed since it was checked. */
const guardedBy = (desired: DesiredTarget, target: MemberCluster | undefined): object =>
  target === undefined || sameJson(desired.spec.secretRef, target.spec.secretRef)
    ? {}
    : { resourceVersion: target.metadata.resourceVersion };

/** Creates the target, or applies the fields of the record that no other manager owns. */
export const writeTarget = async (
  desired: DesiredTarget,
  { isOwn }: Pick<TargetWriter, 'isOwn'>,
  context: ReconcileContext,
): Promise<void> => {
  const { client, signal } = context;
  const { name } = desired.metadata;
  const target = await readTarget(name, context);
  const writer = { manager: FIELD_MANAGER, isOwn };
  const { metadata, spec } = applicableParts(desired, target, writer);
  const body = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    // An empty spec would remove the fields applied before, and leave null.
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    metadata: { ...metadata, name, ...guardedBy(desired, target) },
  };
  await client.patch(
    MemberCluster,
    { name },
    { type: 'apply', body, fieldManager: FIELD_MANAGER, force: isOwn },
    { signal },
  );
};
