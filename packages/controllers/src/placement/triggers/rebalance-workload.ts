import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { WorkloadRebalancer } from '@perigee/api/kinds/placement/workload-rebalancer';
import type { WorkloadReference } from '@perigee/api/kinds/placement/workload-reference';
import { isSameResource } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { nameOfBinding } from '@perigee/scheduling/placement/binding/name-of-binding';
import { nextTriggerTime } from '@perigee/scheduling/placement/triggers/next-trigger-time';
import {
  isRebalancedBy,
  REBALANCED_BY,
  withRebalancer,
} from '@perigee/scheduling/placement/triggers/rebalanced-by';

export const FIELD_MANAGER = 'perigee-workload-rebalancer';

/** Attempts after conflicts with the scheduler; then the object is requeued. */
const MOST_TRIES = 5;

const BY_UID = 'uid';

export const rebalancersByUid = index(WorkloadRebalancer, BY_UID, ({ metadata }) => [metadata.uid]);

const kindFor = ({ namespace = '' }: WorkloadReference): BindingKind =>
  (namespace === '' ? ClusterResourceBinding : ResourceBinding) as BindingKind;

/** The binding as last seen. Before it counts as missing the server is asked, since the verdict is final. */
const findBinding = async (
  workload: WorkloadReference,
  { cache, client, signal }: ReconcileContext,
): Promise<Binding | undefined> => {
  const kind = kindFor(workload);
  const { namespace = '' } = workload;
  const refTo = (name: string): ObjectRef => (namespace === '' ? { name } : { namespace, name });
  const ref = refTo(nameOfBinding(workload, (name) => cache(kind).get(refTo(name))));
  const binding = cache(kind).get(ref) ?? (await getOrUndefined(client, kind, ref, { signal }));
  return binding !== undefined && isSameResource(binding.spec.resource, workload)
    ? binding
    : undefined;
};

/**
 * Requests rescheduling of a resource's binding, once for each rebalancer. False when there is no such binding.
 */
export const rebalanceWorkload = async (
  workload: WorkloadReference,
  uid: string,
  context: ReconcileContext,
): Promise<boolean> => {
  const { cache, client, clock, signal } = context;
  const kind = kindFor(workload);
  const isThere = (other: string) => cache(WorkloadRebalancer).byIndex(BY_UID, other).length > 0;
  let binding = await findBinding(workload, context);
  for (let tries = 1; binding !== undefined; tries += 1) {
    const { metadata, spec, status } = binding;
    if (isRebalancedBy(metadata, uid)) return true;
    const body = {
      metadata: {
        resourceVersion: metadata.resourceVersion,
        annotations: { [REBALANCED_BY]: withRebalancer(metadata, uid, isThere) },
      },
      spec: { rescheduleTriggeredAt: nextTriggerTime(spec, status, clock.now()) },
    };
    const options = { fieldManager: FIELD_MANAGER, signal };
    try {
      await client.patch(kind, refOf(binding), { type: 'merge', body }, options);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
      binding = await getOrUndefined(client, kind, refOf(binding), { signal });
    }
  }
  return false;
};
