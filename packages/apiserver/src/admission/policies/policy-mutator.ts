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

const denial = (
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
  boundMutation: BoundMutation,
  reason: 'Forbidden' | 'Invalid',
  work: () => T | Promise<T>,
): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error;
    if (boundMutation.policy.ignoresFailures) return undefined;
    const why =
      reason === 'Invalid' ? error.message : `failed to configure binding: ${error.message}`;
    throw denial(attributes, boundMutation, why, reason);
  }
};

/** Applies the policy with one set of params; undefined if its conditions are false. */
const mutateWith = async (
  registry: Registry,
  boundMutation: BoundMutation,
  versionedAttributes: Attributes,
  matchedResource: ServedResource,
  param: JsonObject | undefined,
): Promise<JsonObject | undefined> => {
  const { policy } = boundMutation;
  const params = dynamicValue(param);
  const values = { ...admissionValues(registry, versionedAttributes, matchedResource), params };
  const match = policy.conditions(values);
  if ('error' in match) throw denial(versionedAttributes, boundMutation, match.error, 'Invalid');
  if (!match.matches) return undefined;
  let { object } = versionedAttributes;
  const type = typeShown(matchedResource, versionedAttributes);
  for (const mutation of policy.mutations) {
    const present = object;
    if (present === undefined || type === undefined) break;
    const now = { ...values, object: dynamicValue(present) };
    const mutatedObject = await orDenied(versionedAttributes, boundMutation, 'Invalid', () =>
      mutate(policy, mutation, now, present, type),
    );
    if (mutatedObject !== undefined && mutatedObject !== present)
      object = readAgain(matchedResource, versionedAttributes, mutatedObject);
  }
  return object;
};

const mutateBy = async (
  registry: Registry,
  boundMutation: BoundMutation,
  attributes: Attributes,
): Promise<Attributes | undefined> => {
  const { policy, binding } = boundMutation;
  if (attributes.object === undefined) return undefined;
  const matchedResource = matchRequest(registry, policy.criteria, attributes);
  if (matchedResource === undefined) return undefined;
  const { criteria, paramRef } = binding;
  if (criteria !== undefined && matchRequest(registry, criteria, attributes) === undefined) {
    return undefined;
  }
  const params = await orDenied(attributes, boundMutation, 'Forbidden', () => {
    const resource = policy.paramKind && paramResource(registry, policy.paramKind);
    return paramsOf(registry, resource, paramRef, attributes.namespace);
  });
  let versionedAttributes = await shownAs(attributes, matchedResource);
  const before = versionedAttributes.object;
  let isCalled = false;
  for (const param of params ?? []) {
    const object = await mutateWith(
      registry,
      boundMutation,
      versionedAttributes,
      matchedResource,
      param,
    );
    if (object === undefined) continue;
    isCalled = true;
    versionedAttributes = { ...versionedAttributes, object };
  }
  if (!isCalled) return undefined;
  const { object } = versionedAttributes;
  return object === undefined || sameJson(object, before)
    ? attributes
    : withObject(attributes, matchedResource, versionedAttributes, object);
};

export const policyMutator = (registry: Registry, bound: BoundMutation): Mutator => ({
  isReinvoked: bound.policy.isReinvoked,
  mutate: (attributes) => mutateBy(registry, bound, attributes),
});
