import type { Difference } from './difference.ts';
import type { Operation } from './operation.ts';
import type { Finding } from './run-sequence.ts';

const MOST_TEXT = 700;

const short = (value: unknown): string => {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
};

const patternOf = (path: string): string =>
  path.replace(/\[\d+\]/g, '[]').replace(/<[^>]*>/g, '<>');

const shapeOf = (value: unknown): string => {
  if (value === undefined) return 'absent';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Texts that say the same about different values. */
const wordingOf = ({ left }: Difference): string => {
  const text = typeof left === 'object' ? JSON.stringify(left) : String(left);
  return text.replace(/\\?"[^"]*"|\d+/g, '_').slice(0, 160);
};

/** Differences with the same class most likely have the same cause. */
export const classOf = ({ about, differences }: Finding): string => {
  const [first] = differences;
  if (first === undefined) return 'none';
  const what =
    typeof about === 'string'
      ? `watch ${about}`
      : [about.verb, about.patchType, about.kind, about.subresource].filter(Boolean).join(' ');
  const path = patternOf(first.path);
  const isText = typeof first.left === 'string' || path === 'status';
  const how = isText ? wordingOf(first) : `${shapeOf(first.left)}/${shapeOf(first.right)}`;
  return `${what} | ${path} | ${how}`;
};

const operationLine = (operation: Operation, index: number): string => {
  const { verb, kind, slot, subresource, query, ...rest } = operation;
  const where = [kind, slot, subresource].filter(Boolean).join('/');
  return `  ${index + 1}. ${verb} ${where} ${short(query ?? {})} ${JSON.stringify(rest)}`;
};

export const describeFinding = (
  finding: Finding,
  operations: readonly Operation[],
  names: readonly [string, string],
): string => {
  const lines = [classOf(finding), 'after:', ...operations.map(operationLine)];
  const { request, about } = finding;
  if (typeof about !== 'string') lines.push(`at ${finding.index + 1}: ${about.verb} ${about.kind}`);
  if (request) lines.push(`request: ${request.method} ${request.path}`, `  ${request.body ?? ''}`);
  for (const { path, left, right } of finding.differences.slice(0, 12)) {
    lines.push(`${path}:`, `  ${names[0]}: ${short(left)}`, `  ${names[1]}: ${short(right)}`);
  }
  return lines.join('\n');
};
