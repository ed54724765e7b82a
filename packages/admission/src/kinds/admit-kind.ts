import type { Kind } from '@perigee/api/kind/define-kind';
import { normalise } from '@perigee/api/kind/normalise';
import { addFinalizer } from '@perigee/api/values/finalizers';
import type { Clock } from '@perigee/kube/clock/clock';
import type { FieldError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { compileDecoder, type Decoder } from '@perigee/schema/structural/decode';
import { formatTime } from '@perigee/schema/values/time';
import { permanentIdProblems, withPermanentId } from './permanent-id.ts';

const POLICY_GROUP = 'policy.karmada.io';

const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['PropagationPolicy', 'karmada.io/propagation-policy-controller'],
  ['ClusterPropagationPolicy', 'karmada.io/cluster-propagation-policy-controller'],
]);

/** A new policy, held until what it propagates is released. */
const withPolicyFinalizer = (
  { group, kind }: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
): JsonObject => {
  const finalizer = group === POLICY_GROUP ? FINALIZERS.get(kind) : undefined;
  if (finalizer === undefined || old !== undefined) return object;
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const present = Array.isArray(metadata.finalizers) ? metadata.finalizers : [];
  const finalizers = addFinalizer(
    present.filter((name) => typeof name === 'string'),
    finalizer,
  );
  return { ...object, metadata: { ...metadata, finalizers } };
};

const CLUSTER_GROUP = 'cluster.karmada.io';

/** Sets `timeAdded` on the taints of a cluster that evict work: tolerations count from there. */
const withTaintTimes = (
  { group, kind }: Kind,
  object: JsonObject,
  now: () => number,
): JsonObject => {
  const { spec } = object;
  if (group !== CLUSTER_GROUP || kind !== 'Cluster' || !isJsonObject(spec)) return object;
  const { taints } = spec;
  if (!Array.isArray(taints)) return object;
  const lacks = (taint: unknown): taint is JsonObject =>
    isJsonObject(taint as JsonObject) &&
    (taint as JsonObject).effect === 'NoExecute' &&
    !(taint as JsonObject).timeAdded;
  if (!taints.some(lacks)) return object;
  const timeAdded = formatTime(now());
  const timed = taints.map((taint) => (lacks(taint) ? { ...taint, timeAdded } : taint));
  return { ...object, spec: { ...spec, taints: timed } };
};

const decoders = new WeakMap<Kind, Decoder>();

const decoderOf = (kind: Kind): Decoder => {
  const existing = decoders.get(kind);
  if (existing !== undefined) return existing;
  const decoder = compileDecoder(kind.schema);
  decoders.set(kind, decoder);
  return decoder;
};

export interface MutateOptions {
  readonly clock: Pick<Clock, 'now' | 'uuid'>;
  /** True if the object has been read by its definition: defaults are in it, and unknown fields are not. */
  readonly isDecoded?: boolean;
}

/**
 * Prepares an object of the language for the store: in the canonical spelling, with defaults and the fields that
 * only a server may set. Throws `InvalidObjectError` when the object contradicts itself.
 */
export const mutateKind = (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
  { clock, isDecoded = false }: MutateOptions,
): JsonObject => {
  const canonical = normalise(kind, object, old);
  const isDone = isDecoded && canonical === object;
  const value = isDone ? object : decoderOf(kind)(canonical).value;
  const timed = withTaintTimes(kind, value, () => clock.now());
  const protectedObject = withPolicyFinalizer(kind, timed, old);
  return withPermanentId(kind, protectedObject, old, () => clock.uuid());
};

/** Problems of such an object beyond its definition. */
export const checkKind = (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] => permanentIdProblems(kind, object, old);
