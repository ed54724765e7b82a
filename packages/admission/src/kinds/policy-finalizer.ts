import type { Kind } from '@perigee/api/kind/define-kind';
import { addFinalizer } from '@perigee/api/values/finalizers';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';

const GROUP = 'policy.karmada.io';

const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['PropagationPolicy', 'karmada.io/propagation-policy-controller'],
  ['ClusterPropagationPolicy', 'karmada.io/cluster-propagation-policy-controller'],
]);

/** A new policy, held until what it propagates is released. */
export const withPolicyFinalizer = (
  { group, kind }: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
): JsonObject => {
  const finalizer = group === GROUP ? FINALIZERS.get(kind) : undefined;
  if (finalizer === undefined || old !== undefined) return object;
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const present = Array.isArray(metadata.finalizers) ? metadata.finalizers : [];
  const finalizers = addFinalizer(
    present.filter((name) => typeof name === 'string'),
    finalizer,
  );
  return { ...object, metadata: { ...metadata, finalizers } };
};
