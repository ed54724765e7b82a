import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { JsonObject } from '@perigee/schema/json';
import type { MatchCriteria } from '../match-request.ts';
import { criteriaOf, type MatchResources } from './policy.ts';

/** Selects the objects that parametrise a policy. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelectorSpec;
  readonly parameterNotFoundAction?: string;
}

interface StoredSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}

/** A ValidatingAdmissionPolicyBinding: the scope of a policy, and the actions on a violation. */
export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: ParamRef | undefined;
  /** Absent if the scope is that of the policy. */
  readonly criteria: MatchCriteria | undefined;
  readonly actions: readonly string[];
}

export const readBinding = (binding: JsonObject): PolicyBinding => {
  const { name } = binding.metadata as { readonly name: string };
  const spec = (binding.spec ?? {}) as unknown as StoredSpec;
  return {
    name,
    policyName: spec.policyName ?? '',
    paramRef: spec.paramRef,
    criteria: spec.matchResources && criteriaOf(spec.matchResources),
    actions: spec.validationActions ?? [],
  };
};
