import type { Budget } from '@perigee/schema/cel/budget';
import { CelFailure } from '@perigee/schema/cel/failure';
import { StructValue, type Value } from '@perigee/schema/cel/values';
import type { AdmissionValues } from '../cel/admission-program.ts';
import type { Policy } from './policy.ts';

/** Variables are evaluated on first use. */
export const withVariables = (
  policy: Pick<Policy, 'variables' | 'variablesType'>,
  values: AdmissionValues,
  budget: Budget,
): AdmissionValues => {
  if (policy.variables.size === 0) return values;
  const names = Object.fromEntries([...policy.variables.keys()].map((name) => [name, name]));
  const find = (name: unknown): Value => {
    const variable = policy.variables.get(String(name));
    if (variable === undefined || 'problem' in variable.program) {
      throw new CelFailure(`composited variable "${name}" fails to compile`);
    }
    const { program, declarations } = variable;
    const { variables } = complete;
    const slots = [
      values.object,
      values.oldObject,
      values.request,
      values.namespaceObject,
      ...(declarations.params ? [values.params] : []),
      ...(declarations.authorizer ? [values.authorizer, values.requestResource] : []),
      variables,
    ];
    try {
      return program.program.run(budget, slots);
    } catch (failure) {
      if (!(failure instanceof CelFailure)) throw failure;
      throw new CelFailure(`composited variable "${name}" fails to evaluate: ${failure.message}`);
    }
  };
  const complete: AdmissionValues = {
    ...values,
    variables: new StructValue(names, policy.variablesType, find),
  };
  return complete;
};
