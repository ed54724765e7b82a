import type { FieldError } from '../errors.ts';
import { goQuote } from '../go-text.ts';
import type { JsonValue } from '../json.ts';
import type { StructuralSchema, ValueChecks } from '../structural/structural-schema.ts';
import { type Check, renderPath, report, reportUntied, type Walk } from '../structural/walk.ts';

type Junctor = (value: JsonValue, old: JsonValue | undefined, walk: Walk, since: number) => void;

interface Failure {
  readonly errors: readonly FieldError[];
  readonly matches: number;
}

/** Tries a check. When it fits, its matches count; when not, it leaves nothing behind but the result. */
const attempt = (
  check: Check,
  value: JsonValue,
  old: JsonValue | undefined,
  walk: Walk,
): Failure | undefined => {
  const { matches } = walk;
  const start = walk.errors.length;
  walk.alternatives++;
  check(value, old, walk);
  walk.alternatives--;
  if (walk.errors.length === start) return undefined;
  const failure = { errors: walk.errors.splice(start), matches: walk.matches - matches };
  walk.matches = matches;
  return failure;
};

const accept = (walk: Walk, since: number, { errors, matches }: Failure): void => {
  walk.matches += matches;
  for (const error of errors) report(walk, since, error);
};

/** Of failed alternatives, the one that came closest is the one whose errors help. */
const closest = (failures: readonly Failure[]): Failure | undefined =>
  failures.reduce<Failure | undefined>(
    (best, next) => (best === undefined || next.matches > best.matches ? next : best),
    undefined,
  );

const quotedPath = (walk: Walk): string => goQuote(renderPath(walk.path));

const anyOf =
  (checks: readonly Check[]): Junctor =>
  (value, old, walk, since) => {
    const failures: Failure[] = [];
    for (const check of checks) {
      const failure = attempt(check, value, old, walk);
      if (failure === undefined) return;
      failures.push(failure);
    }
    reportUntied(walk, since, `${quotedPath(walk)} must validate at least one schema (anyOf)`);
    const best = closest(failures);
    if (best !== undefined) accept(walk, since, best);
  };

const oneOf =
  (checks: readonly Check[]): Junctor =>
  (value, old, walk, since) => {
    const { matches } = walk;
    const failures = checks.flatMap((check) => attempt(check, value, old, walk) ?? []);
    const fitting = checks.length - failures.length;
    if (fitting === 1) return;
    walk.matches = matches;
    const foundText = fitting === 0 ? 'Found none valid' : `Found ${fitting} valid alternatives`;
    const rule = 'must validate one and only one schema (oneOf).';
    reportUntied(walk, since, `${quotedPath(walk)} ${rule} ${foundText}`);
    const best = fitting === 0 ? closest(failures) : undefined;
    if (best !== undefined) accept(walk, since, best);
  };

const allOf =
  (checks: readonly Check[]): Junctor =>
  (value, old, walk, since) => {
    let fitting = 0;
    for (const check of checks) {
      const failure = attempt(check, value, old, walk);
      if (failure === undefined) fitting++;
      else accept(walk, since, failure);
    }
    if (fitting === checks.length) return;
    const none = fitting === 0 ? '. None validated' : '';
    reportUntied(walk, since, `${quotedPath(walk)} must validate all the schemas (allOf)${none}`);
  };

const not =
  (check: Check): Junctor =>
  (value, old, walk, since) => {
    const { matches } = walk;
    if (attempt(check, value, old, walk) !== undefined) return;
    walk.matches = matches;
    reportUntied(walk, since, `${quotedPath(walk)} must not validate the schema (not)`);
  };

/** The junctors of a node in the order in which Kubernetes reports their errors. */
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
