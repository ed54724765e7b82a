import type { ApiError } from '@perigee/kube/errors';
import { PolicyProblem } from '../../errors.ts';
import type { Registry } from '../../registry/registry.ts';
import { forbidden } from '../../status/object-refusals.ts';
import { refusal } from '../../status/refusal.ts';
import { type Attributes, displayName } from '../attributes.ts';
import { admissionValues } from '../cel/admission-values.ts';
import { dynamicValue } from '../cel/dynamic-value.ts';
import { matchRequest } from '../match-request.ts';
import { shownAs } from '../shown-as.ts';
import { type Judgement, judge } from './judge.ts';
import type { Policy } from './policy.ts';
import type { PolicyBinding } from './policy-binding.ts';
import { paramResource, paramsOf } from './policy-params.ts';

/** A policy with all its bindings. */
export interface BoundPolicy {
  readonly policy: Policy;
  readonly bindings: readonly PolicyBinding[];
}

/** Receivers of judgements beside the response. */
export interface PolicyWorld {
  readonly registry: Registry;
  readonly warn: (text: string) => void;
  readonly audit: (key: string, value: string) => void;
}

interface Denial {
  readonly policy: Policy;
  readonly binding: PolicyBinding | undefined;
  readonly message: string;
  readonly reason: string;
}

const CODES: { readonly [reason: string]: number } = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

const denialError = (attributes: Attributes, { policy, binding, ...denial }: Denial): ApiError => {
  const by =
    binding === undefined
      ? `ValidatingAdmissionPolicy '${policy.name}'`
      : `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
  const message = `${by} denied request: ${denial.message}`;
  const { status } = forbidden(attributes.resource, displayName(attributes), message);
  const reason = denial.reason || 'Invalid';
  return refusal(CODES[reason] ?? 422, reason, status.message ?? message, {
    ...status.details,
    causes: [{ message }],
  });
};

/** The annotation in which Kubernetes records findings of audit actions. */
const failureText = (policy: Policy, binding: PolicyBinding, index: number, message: string) =>
  JSON.stringify([
    {
      message,
      policy: policy.name,
      binding: binding.name,
      expressionIndex: index,
      validationActions: binding.actions,
    },
  ]);

const act = (
  { warn, audit }: PolicyWorld,
  policy: Policy,
  binding: PolicyBinding,
  { findings, annotations, annotationErrors }: Judgement,
): readonly Denial[] => {
  const denials: Denial[] = [];
  for (const { index, message, reason } of findings) {
    if (binding.actions.includes('Deny')) denials.push({ policy, binding, message, reason });
    if (binding.actions.includes('Warn')) {
      warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
      );
    }
    if (binding.actions.includes('Audit')) {
      const text = failureText(policy, binding, index, message);
      audit('validation.policy.admission.k8s.io/validation_failure', text);
    }
  }
  for (const { key, value } of annotations) audit(`${policy.name}/${key}`, value);
  return [
    ...denials,
    ...annotationErrors.map((message) => ({ policy, binding, message, reason: '' })),
  ];
};

/** Runs the work; an error of the policy or the binding denies the request, unless the failure policy is `Ignore`. */
const orProblem = async <T>(
  denials: Denial[],
  policy: Policy,
  binding: PolicyBinding | undefined,
  work: () => T | Promise<T>,
): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error;
    const what = binding === undefined ? 'policy' : 'binding';
    const message = `failed to configure ${what}: ${error.message}`;
    if (!policy.ignoresFailures) denials.push({ policy, binding, message, reason: '' });
    return undefined;
  }
};

const runPolicy = async (
  world: PolicyWorld,
  { policy, bindings }: BoundPolicy,
  attributes: Attributes,
): Promise<readonly Denial[]> => {
  const { registry } = world;
  const matchedResource = matchRequest(registry, policy.criteria, attributes);
  if (matchedResource === undefined) return [];
  const denials: Denial[] = [];
  const { paramKind } = policy;
  const paramLookup = await orProblem(denials, policy, undefined, () => ({
    params: paramKind && paramResource(registry, paramKind),
  }));
  if (paramLookup === undefined) return denials;
  const values = admissionValues(
    registry,
    await shownAs(attributes, matchedResource),
    matchedResource,
  );
  for (const binding of bindings) {
    const { criteria, paramRef } = binding;
    if (criteria !== undefined && matchRequest(registry, criteria, attributes) === undefined)
      continue;
    const params = await orProblem(denials, policy, binding, () =>
      paramsOf(registry, paramLookup.params, paramRef, attributes.namespace),
    );
    for (const param of params ?? []) {
      const judgement = judge(policy, { ...values, params: dynamicValue(param) });
      denials.push(...act(world, policy, binding, judgement));
    }
  }
  return denials;
};

/** Evaluates all policies. Throws the denial of the first of them, after all have run. */
export const runPolicies = async (
  world: PolicyWorld,
  policies: readonly BoundPolicy[],
  attributes: Attributes,
): Promise<void> => {
  const denials: Denial[] = [];
  for (const boundPolicy of policies)
    denials.push(...(await runPolicy(world, boundPolicy, attributes)));
  const [first] = denials;
  if (first !== undefined) throw denialError(attributes, first);
};
