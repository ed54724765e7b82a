import type { Kind } from '@perigee/api/kind/define-kind';
import { normalise } from '@perigee/api/kind/normalise';
import type { Clock } from '@perigee/kube/clock/clock';
import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { compileDecoder, type Decoder } from '@perigee/schema/structural/decode';
import { permanentIdProblems, withPermanentId } from './permanent-id.ts';
import { withPolicyFinalizer } from './policy-finalizer.ts';
import { withTaintTimes } from './taint-times.ts';

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
