import { Budget } from '@perigee/schema/cel/budget';
import { BudgetExceeded, CelFailure, problemText } from '@perigee/schema/cel/failure';
import type { Messages } from '@perigee/schema/cel/messages';
import { compileProgram, type Program } from '@perigee/schema/cel/program';
import {
  type CelType,
  DYN,
  type ObjectType,
  opaque,
  STRING,
  typeText,
} from '@perigee/schema/cel/types';
import type { Value } from '@perigee/schema/cel/values';
import { NAMESPACE_TYPE, REQUEST_TYPE } from './request-type.ts';

const OPERATION: ReadonlyMap<string, CelType> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

const OBJECT = /^Object(?:\.|$)/;

/**
 * The messages that expressions of mutations may construct: `JSONPatch`, and `Object` with a type for every path
 * below it.
 */
const patchMessages: Messages = (name) => {
  if (name === 'JSONPatch') return (field) => OPERATION.get(field);
  return OBJECT.test(name) ? () => DYN : undefined;
};

/** Variables of an expression beside the object, the old object, the request and the namespace. */
export interface Declarations {
  readonly params?: boolean;
  readonly authorizer?: boolean;
  readonly variables?: ObjectType;
  /** True if expressions may make objects and operations of patches. */
  readonly patches?: boolean;
}

/** The names that expressions know, in the order in which their values are given. */
export interface AdmissionValues {
  readonly object: Value;
  readonly oldObject: Value;
  readonly request: Value;
  readonly namespaceObject: Value;
  readonly params: Value;
  readonly authorizer: Value;
  readonly requestResource: Value;
  readonly variables: Value;
}

/** A compiled CEL expression of a webhook or a policy. */
export interface AdmissionProgram {
  readonly source: string;
  readonly program: Program;
}

export interface BadExpression {
  readonly problem: string;
}

/** Result of an evaluation, or the reason why there is none. A spent budget ends all further evaluations. */
export type Evaluation =
  | { readonly value: Value }
  | { readonly error: string }
  | { readonly spent: true };

export const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

const typesOf = ({ params, authorizer, variables }: Declarations) => {
  const types: { [name: string]: CelType } = {
    object: DYN,
    oldObject: DYN,
    request: REQUEST_TYPE,
    namespaceObject: NAMESPACE_TYPE,
  };
  if (params) types.params = DYN;
  if (authorizer) {
    types.authorizer = opaque('Authorizer');
    types['authorizer.requestResource'] = opaque('ResourceCheck');
  }
  if (variables) types.variables = variables;
  return types;
};

const valuesFor = (
  { params, authorizer, variables }: Declarations,
  values: AdmissionValues,
): readonly Value[] => [
  values.object,
  values.oldObject,
  values.request,
  values.namespaceObject,
  ...(params ? [values.params] : []),
  ...(authorizer ? [values.authorizer, values.requestResource] : []),
  ...(variables ? [values.variables] : []),
];

const NULL_NAME: { readonly [kind: string]: string } = { null: 'null_type' };

const nameOf = (type: CelType): string => NULL_NAME[type.kind] ?? typeText(type);

/** Compiles an expression; without result types, any type is valid. */
export const compileAdmission = (
  source: string,
  declarations: Declarations,
  resultTypes: readonly ('bool' | 'string' | 'null' | 'Object' | 'list(JSONPatch)')[] = [],
): AdmissionProgram | BadExpression => {
  const program = compileProgram(
    source,
    typesOf(declarations),
    declarations.patches ? { messages: patchMessages } : {},
  );
  if ('problem' in program) {
    return { problem: `compilation failed: ${problemText(source, program.problem)}` };
  }
  const type = typeText(program.type);
  if (resultTypes.length === 0 || (resultTypes as readonly string[]).includes(type)) {
    return { source, program };
  }
  const names = resultTypes.map((name) => NULL_NAME[name] ?? name);
  const what = names.length === 1 ? names.join() : `one of [${names.join(' ')}]`;
  return { problem: `must evaluate to ${what} but got ${nameOf(program.type)}` };
};

/** Runs an expression. All expressions of one judgement share the budget. */
export const evaluate = (
  { source, program }: AdmissionProgram,
  declarations: Declarations,
  values: AdmissionValues,
  budget: Budget,
): Evaluation => {
  budget.startCall();
  try {
    return { value: program.run(budget, valuesFor(declarations, values)) };
  } catch (failure) {
    if (failure instanceof BudgetExceeded) return { spent: true };
    if (!(failure instanceof CelFailure)) throw failure;
    return { error: `expression '${source}' resulted in error: ${failure.message}` };
  }
};

/** Cost limit of all match conditions together. */
const MATCH_BUDGET = 10_000_000 / 4;

export const matchBudget = (): Budget => new Budget(MATCH_BUDGET);
