import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import { type CelType, DYN, type ObjectField, type ObjectType } from '@perigee/schema/cel/types';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import {
  type AdmissionProgram,
  type BadExpression,
  compileAdmission,
  type Declarations,
} from '../cel/admission-program.ts';
import {
  compileMatchConditions,
  type MatchCondition,
  type MatchConditions,
} from '../match-conditions.ts';
import type { MatchCriteria } from '../match-request.ts';
import type { OperationRule } from '../match-rules.ts';

export interface MatchResources {
  readonly resourceRules?: readonly OperationRule[];
  readonly excludeResourceRules?: readonly OperationRule[];
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
  readonly matchPolicy?: string;
}

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The part of the spec that policies of both kinds share. */
export interface StoredPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly failurePolicy?: string;
}

interface StoredSpec extends StoredPolicySpec {
  readonly validations?: readonly {
    readonly expression: string;
    readonly message?: string;
    readonly messageExpression?: string;
    readonly reason?: string;
  }[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

type Compiled = AdmissionProgram | BadExpression;

export interface Validation {
  readonly test: Compiled;
  readonly expression: string;
  readonly message: string;
  readonly messageExpression: Compiled | undefined;
  readonly reason: string;
}

/** A compiled ValidatingAdmissionPolicy. */
export interface Policy {
  readonly name: string;
  readonly paramKind: ParamKind | undefined;
  readonly criteria: MatchCriteria;
  readonly conditions: MatchConditions;
  readonly ignoresFailures: boolean;
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly value: Compiled }[];
  /** Variables of the validations; messages and annotations have no authorizer. */
  readonly declarations: Declarations;
  readonly textDeclarations: Declarations;
  readonly variablesType: ObjectType;
  /** Each is compiled with the earlier ones in scope. */
  readonly variables: ReadonlyMap<
    string,
    { readonly program: Compiled; readonly declarations: Declarations }
  >;
}

/** The criteria of a policy: without rules, all requests match. */
export const criteriaOf = (match: MatchResources = {}): MatchCriteria => {
  const { resourceRules = [], excludeResourceRules = [], namespaceSelector } = match;
  const { objectSelector, matchPolicy } = match;
  return {
    rules: resourceRules,
    excluded: excludeResourceRules,
    ...present({ namespaceSelector, objectSelector, matchPolicy }),
  };
};

const typeOfProgram = (program: Compiled): CelType =>
  'problem' in program ? DYN : program.program.type;

/** Variables by name; one that does not compile is of any type, and fails when it is used. */
export const compileVariables = (
  variableSpecs: StoredSpec['variables'] = [],
  base: Declarations,
): Pick<Policy, 'variables' | 'variablesType'> => {
  const variables = new Map<string, { program: Compiled; declarations: Declarations }>();
  let fields: ReadonlyMap<string, ObjectField> = new Map();
  for (const { name, expression } of variableSpecs) {
    const declarations = { ...base, variables: { kind: 'object', fields } as const };
    const program = compileAdmission(expression, declarations);
    variables.set(name, { program, declarations });
    fields = new Map(fields).set(name, { name, type: typeOfProgram(program) });
  }
  return { variables, variablesType: { kind: 'object', fields } };
};

export const compilePolicy = (policy: JsonObject): Policy => {
  const { name } = policy.metadata as { readonly name: string };
  const spec = (policy.spec ?? {}) as unknown as StoredSpec;
  const { paramKind, matchConditions = [], failurePolicy } = spec;
  const params = { params: paramKind !== undefined };
  const base = { ...params, authorizer: true };
  const { variables, variablesType } = compileVariables(spec.variables, base);
  const declarations = { ...base, variables: variablesType };
  const textDeclarations = { ...params, variables: variablesType };
  return {
    name,
    paramKind,
    criteria: criteriaOf(spec.matchConstraints),
    conditions: compileMatchConditions(matchConditions, base, failurePolicy),
    ignoresFailures: failurePolicy === 'Ignore',
    validations: (spec.validations ?? []).map((validation) => ({
      test: compileAdmission(validation.expression, declarations, ['bool']),
      expression: validation.expression,
      message: validation.message ?? '',
      messageExpression:
        validation.messageExpression === undefined || validation.messageExpression === ''
          ? undefined
          : compileAdmission(validation.messageExpression, textDeclarations, ['string']),
      reason: validation.reason ?? 'Invalid',
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: compileAdmission(valueExpression, textDeclarations, ['string', 'null']),
    })),
    declarations,
    textDeclarations,
    variablesType,
    variables,
  };
};
