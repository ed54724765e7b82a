import type { JsonObject } from '@perigee/schema/json';
import {
  type AdmissionProgram,
  type BadExpression,
  compileAdmission,
  type Declarations,
} from '../cel/admission-program.ts';
import { compileMatchConditions } from '../match-conditions.ts';
import { compileVariables, criteriaOf, type Policy, type StoredPolicySpec } from './policy.ts';

interface StoredSpec extends StoredPolicySpec {
  readonly reinvocationPolicy?: string;
  readonly mutations?: readonly {
    readonly patchType: string;
    readonly applyConfiguration?: { readonly expression: string };
    readonly jsonPatch?: { readonly expression: string };
  }[];
}

export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly program: AdmissionProgram | BadExpression;
}

type Common =
  | 'name'
  | 'paramKind'
  | 'criteria'
  | 'conditions'
  | 'ignoresFailures'
  | 'variables'
  | 'variablesType';

/** A compiled MutatingAdmissionPolicy. */
export interface MutatingPolicy extends Pick<Policy, Common> {
  readonly isReinvoked: boolean;
  readonly mutations: readonly Mutation[];
  readonly declarations: Declarations;
}

const compileMutation = (
  { patchType, applyConfiguration, jsonPatch }: NonNullable<StoredSpec['mutations']>[number],
  declarations: Declarations,
): Mutation =>
  patchType === 'JSONPatch'
    ? {
        patchType,
        program: compileAdmission(jsonPatch?.expression ?? '', declarations, ['list(JSONPatch)']),
      }
    : {
        patchType: 'ApplyConfiguration',
        program: compileAdmission(applyConfiguration?.expression ?? '', declarations, ['Object']),
      };

export const compileMutatingPolicy = (policy: JsonObject): MutatingPolicy => {
  const { name } = policy.metadata as { readonly name: string };
  const spec = (policy.spec ?? {}) as unknown as StoredSpec;
  const { paramKind, matchConditions = [], failurePolicy, mutations = [] } = spec;
  const base = { params: paramKind !== undefined, authorizer: true };
  const { variables, variablesType } = compileVariables(spec.variables, base);
  const declarations = { ...base, variables: variablesType, patches: true };
  return {
    name,
    paramKind,
    criteria: criteriaOf(spec.matchConstraints),
    conditions: compileMatchConditions(matchConditions, base, failurePolicy),
    ignoresFailures: failurePolicy === 'Ignore',
    isReinvoked: spec.reinvocationPolicy === 'IfNeeded',
    mutations: mutations.map((mutation) => compileMutation(mutation, declarations)),
    declarations,
    variables,
    variablesType,
  };
};
