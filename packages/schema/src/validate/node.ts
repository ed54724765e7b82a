import { notSupported } from '../errors.ts';
import { goJson } from '../go-text.ts';
import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { sameJson } from '../same-json.ts';
import type { StructuralSchema, ValueChecks } from '../structural/structural-schema.ts';
import { type Check, renderPath, report, type Walk } from '../structural/walk.ts';
import { type JsonKind, jsonKindOf } from './json-kind.ts';
import { compileJunctors } from './junctors.ts';
import { listCheck } from './list-check.ts';
import { numberCheck } from './number-checks.ts';
import { objectCheck } from './object-check.ts';
import { stringCheck } from './string-checks.ts';
import { checkedFormat, hasTypeCheck, reportType, typeProblems } from './type-check.ts';

type EnumCheck = (value: JsonValue, walk: Walk, since: number) => void;

/** Null is never one of the values, even when the list of them has it. */
const enumCheck = (schema: StructuralSchema): EnumCheck | undefined => {
  const { enum: values = [] } = schema;
  if (values.length === 0) return undefined;
  const scalars = new Set(values.filter((value) => typeof value !== 'object'));
  const others = values.filter((value) => typeof value === 'object' && value !== null);
  const texts = values.map((value) => (typeof value === 'string' ? value : goJson(value)));
  return (value, walk, since) => {
    if (typeof value !== 'object') {
      if (scalars.has(value)) return;
    } else if (others.some((other) => sameJson(value, other))) return;
    report(walk, since, notSupported(renderPath(walk.path), value, texts));
  };
};

/**
 * Number of checks that a value of a kind passes at a node, counted as Kubernetes counts them: that count
 * decides which alternative of an `anyOf` or `oneOf` it takes for the one that was meant.
 */
const passedChecks = (schema: StructuralSchema, kind: JsonKind): number => {
  if (kind === 'null') return 1;
  const typed = hasTypeCheck(schema) ? 2 : 0;
  const always = 4;
  switch (kind) {
    case 'string':
      return typed + always + 1 + (checkedFormat(schema) === '' ? 0 : 1);
    case 'integer':
    case 'number':
    case 'array':
      return typed + always + 2;
    case 'object':
      return typed + always + 1;
    default:
      return typed + always;
  }
};

const countsOf = (schema: StructuralSchema): { readonly [kind in JsonKind]: number } => ({
  null: passedChecks(schema, 'null'),
  boolean: passedChecks(schema, 'boolean'),
  integer: passedChecks(schema, 'integer'),
  number: passedChecks(schema, 'number'),
  string: passedChecks(schema, 'string'),
  array: passedChecks(schema, 'array'),
  object: passedChecks(schema, 'object'),
});

const compileObject = (schema: StructuralSchema) => {
  const { properties = {}, additionalProperties } = schema;
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, compileNode(field)] as const,
  );
  const additional =
    typeof additionalProperties === 'object' ? compileNode(additionalProperties) : undefined;
  return objectCheck(schema, new Map(fields), additional);
};

/**
 * Compiles the checks of a schema node and of all below it, in the order in which Kubernetes reports
 * their errors. An unchanged invalid value passes, as in Kubernetes: otherwise no client
 * could update an object that was stored before its schema became stricter.
 */
export const compileNode = (schema: StructuralSchema | ValueChecks): Check => {
  const wrong = typeProblems(schema);
  const counts = countsOf(schema);
  const junctors = compileJunctors(schema, compileNode);
  const checkString = stringCheck(schema);
  const checkNumber = numberCheck(schema);
  const checkList = listCheck(schema, schema.items && compileNode(schema.items));
  const checkEnum = enumCheck(schema);
  const checkObject = compileObject(schema);

  return (value, old, walk) => {
    const since = walk.errors.length;
    const kind = jsonKindOf(value);
    const problem = wrong[kind];
    walk.matches += counts[kind];
    if (problem !== undefined) {
      walk.matches--;
      reportType(walk, since, problem);
    }
    if (kind !== 'null') junctors?.(value, old, walk, since);
    if (kind === 'string') checkString?.(value as string, walk, since);
    else if (kind === 'integer' || kind === 'number')
      checkNumber?.(value as number | bigint, walk, since);
    else if (kind === 'array') checkList(value as JsonArray, old, walk, since);
    checkEnum?.(value, walk, since);
    if (kind === 'object') checkObject(value as JsonObject, old, walk, since);
    if (old !== undefined && walk.errors.length > since && sameJson(value, old)) {
      walk.errors.length = since;
    }
  };
};
