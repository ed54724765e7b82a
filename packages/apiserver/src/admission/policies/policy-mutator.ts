import type { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { PolicyProblem } from '../../errors.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { forbidden } from '../../status/object-refusals.ts';
import { refusal } from '../../status/refusal.ts';
import { type Attributes, displayName } from '../attributes.ts';
import { admissionValues } from '../cel/admission-values.ts';
import { dynamicValue } from '../cel/dynamic-value.ts';
import { readAgain, typeShown, withObject } from '../changed-object.ts';
import { matchRequest } from '../match-request.ts';
import type { Mutator } from '../run-mutators.ts';
import { shownAs } from '../shown-as.ts';
import { mutate } from './mutate.ts';
import type { MutatingPolicy } from './mutating-policy.ts';
import type { PolicyBinding } from './policy-binding.ts';
import { paramResource, paramsOf } from './policy-params.ts';

/** A policy with one of its bindings. */
export interface BoundMutation {
  readonly policy: MutatingPolicy;
  readonly binding: PolicyBinding;
}

const denied = (
  attributes: Attributes,
  { policy, binding }: BoundMutation,
  why: string,
  reason: string,
): ApiError => {
  const message = `policy '${policy.name}' with binding '${binding.name}' denied request: ${why}`;
  const { status } = forbidden(attributes.resource, displayName(attributes), message);
  return refusal(403, reason, message, { ...status.details, causes: [{ message }] });
};

/** Runs the work; an error of the policy denies the request, unless the failure policy is `Ignore`. */
const orDenied = async <T>(
  attributes: Attributes,
  bound: BoundMutation,
  reason: 'Forbidden' | 'Invalid',
  work: () => T | Promise<T>,
): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error;
    if (bound.policy.ignoresFailures) return undefined;
    const why =
      reason === 'Invalid' ? error.message : `failed to configure binding: ${error.message}`;
    throw denied(attributes, bound, why, reason);
  }
};

/** Applies the policy with one set of params; undefined if its conditions are false. */
const mutateWith = async (
  registry: Registry,
  bound: BoundMutation,
  seen: Attributes,
  shown: ServedResource,
  param: JsonObject | undefined,
): Promise<JsonObject | undefined> => {
  const { policy } = bound;
  const params = dynamicValue(param);
  const values = { ...admissionValues(registry, seen, shown), params };
  const match = policy.conditions(values);
  if ('error' in match) throw denied(seen, bound, match.error, 'Invalid');
  if (!match.matches) return undefined;
  let { object } = seen;
  const type = typeShown(shown, seen);
  for (const mutation of policy.mutations) {
    const present = object;
    if (present === undefined || type === undefined) break;
    const now = { ...values, object: dynamicValue(present) };
    const made = await orDenied(seen, bound, 'Invalid', () =>
      mutate(policy, mutation, now, present, type),
    );
    if (made !== undefined && made !== present) object = readAgain(shown, seen, made);
  }
  return object;
};

const mutateBy = async (
  registry: Registry,
  bound: BoundMutation,
  attributes: Attributes,
): Promise<Attributes | undefined> => {
  const { policy, binding } = bound;
  if (attributes.object === undefined) return undefined;
  const shown = matchRequest(registry, policy.criteria, attributes);
  if (shown === undefined) return undefined;
  const { criteria, paramRef } = binding;
  if (criteria !== undefined && matchRequest(registry, criteria, attributes) === undefined) {
    return undefined;
  }
  const params = await orDenied(attributes, bound, 'Forbidden', () => {
    const resource = policy.paramKind && paramResource(registry, policy.paramKind);
    return paramsOf(registry, resource, paramRef, attributes.namespace);
  });
  let seen = await shownAs(attributes, shown);
  const before = seen.object;
  let isCalled = false;
  for (const param of params ?? []) {
    const object = await mutateWith(registry, bound, seen, shown, param);
    if (object === undefined) continue;
    isCalled = true;
    seen = { ...seen, object };
  }
  if (!isCalled) return undefined;
  const { object } = seen;
  return object === undefined || sameJson(object, before)
    ? attributes
    : withObject(attributes, shown, seen, object);
};

export const policyMutator = (registry: Registry, bound: BoundMutation): Mutator => ({
  isReinvoked: bound.policy.isReinvoked,
  mutate: (attributes) => mutateBy(registry, bound, attributes),
});
