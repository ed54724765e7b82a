import type { FieldError } from '../../errors.ts';
import type { JsonValue } from '../../json.ts';
import { goQuote } from '../go-text.ts';
import type { StructuralSchema, ValueChecks } from '../structural.ts';
import { type Check, renderPath, report, reportUntied, type Walk } from './walk.ts';

type Junctor = (value: JsonValue, old: JsonValue | undefined, walk: Walk, since: number) => void;

interface Attempt {
  readonly errors: readonly FieldError[];
  readonly matches: number;
}

const attempt = (
  check: Check,
  value: JsonValue,
  old: JsonValue | undefined,
  walk: Walk,
): Attempt => {
  const { matches } = walk;
  const start = walk.errors.length;
  walk.matches = 0;
  check(value, old, walk);
  const result = { errors: walk.errors.splice(start), matches: walk.matches };
  walk.matches = matches;
  return result;
};

const accept = (walk: Walk, since: number, { errors, matches }: Attempt): void => {
  walk.matches += matches;
  for (const error of errors) report(walk, since, error);
};

/** Of failed alternatives, the one that came closest is the one whose errors help. */
const closest = (attempts: readonly Attempt[]): Attempt | undefined =>
  attempts.reduce<Attempt | undefined>(
    (best, next) => (best === undefined || next.matches > best.matches ? next : best),
    undefined,
  );

const quotedPath = (walk: Walk): string => goQuote(renderPath(walk.path));

const anyOf =
  (checks: readonly Check[]): Junctor =>
  (value, old, walk, since) => {
    const failed: Attempt[] = [];
    for (const check of checks) {
      const result = attempt(check, value, old, walk);
      if (result.errors.length === 0) {
        walk.matches += result.matches;
        return;
      }
      failed.push(result);
    }
    reportUntied(walk, since, `${quotedPath(walk)} must validate at least one schema (anyOf)`);
    const best = closest(failed);
    if (best !== undefined) accept(walk, since, best);
  };

const oneOf =
  (checks: readonly Check[]): Junctor =>
  (value, old, walk, since) => {
    const attempts = checks.map((check) => attempt(check, value, old, walk));
    const fitting = attempts.filter(({ errors }) => errors.length === 0);
    const [first] = fitting;
    if (first !== undefined && fitting.length === 1) {
      walk.matches += first.matches;
      return;
    }
    const found =
      first === undefined ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
    reportUntied(
      walk,
      since,
      `${quotedPath(walk)} must validate one and only one schema (oneOf). ${found}`,
    );
    const best = first === undefined ? closest(attempts) : undefined;
    if (best !== undefined) accept(walk, since, best);
  };

const allOf =
  (checks: readonly Check[]): Junctor =>
  (value, old, walk, since) => {
    let fitting = 0;
    for (const check of checks) {
      const result = attempt(check, value, old, walk);
      if (result.errors.length === 0) fitting++;
      accept(walk, since, result);
    }
    if (fitting === checks.length) return;
    const none = fitting === 0 ? '. None validated' : '';
    reportUntied(walk, since, `${quotedPath(walk)} must validate all the schemas (allOf)${none}`);
  };

const not =
  (check: Check): Junctor =>
  (value, old, walk, since) => {
    if (attempt(check, value, old, walk).errors.length > 0) return;
    reportUntied(walk, since, `${quotedPath(walk)} must not validate the schema (not)`);
  };

/** The junctors of a node in the order in which Kubernetes tells their errors. */
export const compileJunctors = (
  schema: StructuralSchema,
  compile: (branch: ValueChecks) => Check,
): Junctor | undefined => {
  const junctors: Junctor[] = [];
  if (schema.anyOf?.length) junctors.push(anyOf(schema.anyOf.map(compile)));
  if (schema.oneOf?.length) junctors.push(oneOf(schema.oneOf.map(compile)));
  if (schema.allOf?.length) junctors.push(allOf(schema.allOf.map(compile)));
  if (schema.not !== undefined) junctors.push(not(compile(schema.not)));
  if (junctors.length === 0) return undefined;
  return (value, old, walk, since) => {
    for (const junctor of junctors) junctor(value, old, walk, since);
  };
};
