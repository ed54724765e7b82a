import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { BINDING_KINDS, type Binding } from '@perigee/scheduling/placement/binding/binding';
import { claimLabel, claimOf, withoutClaim } from '@perigee/scheduling/placement/policy/claim';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { changeMetadata } from './change-metadata.ts';

const FIELD_MANAGER = 'perigee-policy-release';
const BY_CLAIM = 'claimed-by-policy';

const FINALIZERS: { readonly [kind: string]: string } = {
  PropagationPolicy: 'karmada.io/propagation-policy-controller',
  ClusterPropagationPolicy: 'karmada.io/cluster-propagation-policy-controller',
};

/** One function for both controllers, as they share the index. */
const claimIds = ({ metadata }: Binding): readonly string[] => {
  const claim = claimOf(metadata);
  return claim === undefined ? [] : [claim.id];
};

/** Lets go of the bindings of a policy. What they propagated stays where it is. */
const releaseBindings = async (policy: AnyPolicy, context: ReconcileContext): Promise<void> => {
  const { id } = claimLabel(policy);
  const { namespace, name } = policy.metadata;
  // A policy can be created with the id of another one.
  const isItsOwn = ({ metadata }: Binding): boolean => {
    const claim = claimOf(metadata);
    return claim?.name === name && claim.namespace === namespace;
  };
  for (const kind of BINDING_KINDS) {
    for (const binding of context.cache(kind).byIndex(BY_CLAIM, id).filter(isItsOwn)) {
      const freed = withoutClaim(binding.metadata);
      await changeMetadata(kind, binding, freed, FIELD_MANAGER, context);
    }
  }
};

const releaseFor = (kind: ResourceKind<AnyPolicy>): ControllerDefinition =>
  defineController<AnyPolicy>({
    name: kind.scope === 'Namespaced' ? 'policy-release' : 'cluster-policy-release',
    for: kind,
    when: (now) => now?.metadata.deletionTimestamp !== undefined,
    watches: BINDING_KINDS.map((bindings) =>
      watch(bindings, {
        map: ({ metadata }) => {
          const claim = claimOf(metadata);
          return claim === undefined ? [] : [claim];
        },
      }),
    ),
    indexes: BINDING_KINDS.map((bindings) => index(bindings, BY_CLAIM, claimIds)),
    async reconcile(ref, context) {
      const policy = context.cache(kind).get(ref);
      const finalizer = FINALIZERS[kind.kind] ?? '';
      if (policy?.metadata.deletionTimestamp === undefined) return undefined;
      if (!hasFinalizer(policy, finalizer)) return undefined;
      await releaseBindings(policy, context);
      const { resourceVersion, finalizers = [] } = policy.metadata;
      const body = {
        metadata: { resourceVersion, finalizers: removeFinalizer(finalizers, finalizer) },
      };
      const options = { fieldManager: FIELD_MANAGER, signal: context.signal };
      await context.client.patch(kind, ref, { type: 'merge', body }, options);
      return undefined;
    },
  });

/** Ends policies: what they have claimed is let go first. Templates are released by the detector. */
export const policyReleaseControllers = (): readonly ControllerDefinition[] =>
  [PropagationPolicy, ClusterPropagationPolicy].map((kind) =>
    releaseFor(kind as ResourceKind<AnyPolicy>),
  );
