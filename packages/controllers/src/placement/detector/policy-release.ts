import type { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import type { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import { differsBeyondStatus } from '@perigee/kube/controller/beyond-status';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { BINDING_KINDS, type Binding } from '@perigee/scheduling/placement/binding/binding';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import {
  policyLabel,
  propagatedBy,
  withoutPolicy,
} from '@perigee/scheduling/placement/policy/propagated-by';
import { changeMetadata } from './change-metadata.ts';

const FIELD_MANAGER = 'perigee-policy-release';
const BY_POLICY = 'propagated-by-policy';

const FINALIZERS: { readonly [kind: string]: string } = {
  PropagationPolicy: 'karmada.io/propagation-policy-controller',
  ClusterPropagationPolicy: 'karmada.io/cluster-propagation-policy-controller',
};

/** One function for both controllers, as they share the index. */
const policyIds = ({ metadata }: Binding): readonly string[] => {
  const policy = propagatedBy(metadata);
  return policy === undefined ? [] : [policy.id];
};

/** Releases the bindings of a policy. Propagated objects stay. */
const releaseBindings = async (policy: AnyPolicy, context: ReconcileContext): Promise<void> => {
  const { id } = policyLabel(policy);
  const { namespace, name } = policy.metadata;
  // A policy can be created with the id of another one.
  const isItsOwn = ({ metadata }: Binding): boolean => {
    const ref = propagatedBy(metadata);
    return ref?.name === name && ref.namespace === namespace;
  };
  for (const kind of BINDING_KINDS) {
    for (const binding of context.cache(kind).byIndex(BY_POLICY, id).filter(isItsOwn)) {
      const remainingMarks = withoutPolicy(binding.metadata);
      await changeMetadata(kind, binding, remainingMarks, FIELD_MANAGER, context);
    }
  }
};

/** Ends policies: their bindings are released first. Templates are released by the detector. */
export const policyReleaseController = (
  policyKind: ResourceKind<PropagationPolicy> | ResourceKind<ClusterPropagationPolicy>,
): ControllerDefinition => {
  const kind = policyKind as ResourceKind<AnyPolicy>;
  return defineController<AnyPolicy>({
    name: kind.scope === 'Namespaced' ? 'policy-release' : 'cluster-policy-release',
    for: kind,
    when: (now) => now?.metadata.deletionTimestamp !== undefined,
    watches: BINDING_KINDS.map((bindings) =>
      watch(bindings, {
        when: differsBeyondStatus,
        map: ({ metadata }) => {
          const policy = propagatedBy(metadata);
          return policy === undefined ? [] : [policy];
        },
      }),
    ),
    indexes: BINDING_KINDS.map((bindings) => index(bindings, BY_POLICY, policyIds)),
    async reconcile(ref, context) {
      const policy = context.cache(kind).get(ref);
      const finalizer = FINALIZERS[kind.kind] ?? '';
      if (policy?.metadata.deletionTimestamp === undefined) return undefined;
      if (!hasFinalizer(policy, finalizer)) return undefined;
      await releaseBindings(policy, context);
      const { client, signal } = context;
      const nextFinalizers = removeFinalizer(policy.metadata.finalizers, finalizer);
      await setFinalizers(client, kind, policy, nextFinalizers, {
        fieldManager: FIELD_MANAGER,
        signal,
      });
      return undefined;
    },
  });
};
