import { parseRulePath } from '@perigee/schema/cel/rule-path';
import { type FieldError, invalid, notSupported, required } from '@perigee/schema/errors';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { nodesAt, type SchemaNode, textAt } from './schema-node.ts';

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);
const isBlank = (text: string): boolean => text.trim() === '';

const messageProblem = (rule: SchemaNode, path: string): FieldError | undefined => {
  const text = textAt(rule, 'rule');
  const message = textAt(rule, 'message');
  if (isBlank(text)) return required(`${path}.rule`, 'rule is not specified');
  const at = `${path}.message`;
  if (message !== '' && isBlank(message)) {
    return invalid(at, message, 'must be non-empty if specified');
  }
  if (hasLineBreak(message.trim())) return invalid(at, message, 'must not contain line breaks');
  return hasLineBreak(text.trim()) && isBlank(message)
    ? required(at, 'message must be specified if rule contains line breaks')
    : undefined;
};

const fieldPathProblems = (
  fieldPath: string,
  node: SchemaNode,
  path: string,
): readonly FieldError[] => {
  if (fieldPath === '') return [];
  const problem = (detail: string): FieldError => invalid(`${path}.fieldPath`, fieldPath, detail);
  return [
    ...(isBlank(fieldPath) ? [problem('must be non-empty if specified')] : []),
    ...(hasLineBreak(fieldPath) ? [problem('must not contain line breaks')] : []),
    ...('error' in parseRulePath(fieldPath, node as StructuralSchema)
      ? [problem('must be a valid path')]
      : []),
  ];
};

const ruleProblems = (rule: SchemaNode, node: SchemaNode, path: string): readonly FieldError[] => {
  const message = messageProblem(rule, path);
  const messageExpression = textAt(rule, 'messageExpression');
  const reason = textAt(rule, 'reason');
  return [
    ...(message ? [message] : []),
    ...(messageExpression !== '' && isBlank(messageExpression)
      ? [required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...(reason !== '' && !REASONS.includes(reason)
      ? [notSupported(`${path}.reason`, reason, REASONS)]
      : []),
    ...fieldPathProblems(textAt(rule, 'fieldPath'), node, path),
  ];
};

/** Problems of the CEL rules of a node, without compiling them. */
export const ruleTextProblems = (node: SchemaNode, path: string): readonly FieldError[] =>
  nodesAt(node, 'x-kubernetes-validations').flatMap((rule, at) =>
    ruleProblems(rule, node, `${path}.x-kubernetes-validations[${at}]`),
  );
