import { Budget } from '@perigee/schema/cel/budget';
import { CelFailure } from '@perigee/schema/cel/failure';
import { isMessage } from '@perigee/schema/cel/messages';
import { toJson } from '@perigee/schema/cel/to-json';
import { ListValue, type Value } from '@perigee/schema/cel/values';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { objectTypeOf } from '../../apply/value-type.ts';
import { PatchError, PolicyProblem } from '../../errors.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { type AdmissionValues, evaluate, OUT_OF_BUDGET } from '../cel/admission-program.ts';
import { applyConfiguration, checkTypeNames } from './apply-configuration.ts';
import type { MutatingPolicy, Mutation } from './mutating-policy.ts';
import { withVariables } from './with-variables.ts';

const TEST_FAILED = /^testing value .* failed/;

const jsonOf = (value: Value): JsonValue => {
  if (isMessage(value)) checkTypeNames(value);
  try {
    return toJson(value);
  } catch (failure) {
    if (!(failure instanceof CelFailure)) throw failure;
    throw new PolicyProblem(failure.message);
  }
};

const configuredObject = (
  object: JsonObject,
  configValue: Value,
  type: ServedResource,
): JsonObject => {
  const config = jsonOf(configValue);
  if (!isJsonObject(config)) throw new PolicyProblem('the configuration is no object');
  const { apiVersion = null, kind = null } = object;
  return applyConfiguration(object, { ...config, apiVersion, kind }, objectTypeOf(type.schema));
};

const operationOf = (value: Value): JsonObject => {
  if (!isMessage(value)) throw new PolicyProblem('an operation of a patch must be a JSONPatch');
  return Object.fromEntries([...value.value].map(([field, part]) => [field, jsonOf(part)]));
};

const patchObject = (object: JsonObject, patchValue: Value): JsonObject => {
  const operations = patchValue instanceof ListValue ? patchValue.items.map(operationOf) : [];
  try {
    const result = applyJsonPatch(object, operations);
    if (isJsonObject(result)) return result;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // A failed test means that the patch does not apply.
    if (TEST_FAILED.test(error.message)) return object;
    throw new PolicyProblem(`JSON Patch: ${error.message}`);
  }
  throw new PolicyProblem('JSON Patch: it made something that is no object');
};

/** Applies one mutation to the object. Throws a `PolicyProblem`. */
export const mutate = (
  policy: MutatingPolicy,
  { patchType, program }: Mutation,
  values: AdmissionValues,
  object: JsonObject,
  type: ServedResource,
): JsonObject => {
  if ('problem' in program) throw new PolicyProblem(`compilation error: ${program.problem}`);
  const budget = new Budget();
  const complete = withVariables(policy, values, budget);
  const outcome = evaluate(program, policy.declarations, complete, budget);
  if ('spent' in outcome) throw new PolicyProblem(OUT_OF_BUDGET);
  if ('error' in outcome) throw new PolicyProblem(outcome.error);
  return patchType === 'JSONPatch'
    ? patchObject(object, outcome.value)
    : configuredObject(object, outcome.value, type);
};
