import { tooLong, typeInvalid } from '../errors.ts';
import { formatCheck } from '../formats/formats.ts';
import { goQuote } from '../go-text.ts';
import { toPattern } from '../pattern.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { renderPath, report, reportValue, type Walk } from '../structural/walk.ts';
import { checkedFormat } from './type-check.ts';

export type StringCheck = (value: string, walk: Walk, since: number) => void;

/** Characters as Unicode counts them, where JavaScript counts the halves of a surrogate pair. */
const characterCount = (text: string): number => {
  let count = 0;
  for (const _character of text) count++;
  return count;
};

/** The checks of length and pattern; only the first failure is reported. */
const textCheck = (schema: StructuralSchema): StringCheck | undefined => {
  const { minLength: least = 0, maxLength: most, pattern: source = '' } = schema;
  if (least === 0 && most === undefined && source === '') return undefined;
  const pattern = source === '' ? undefined : toPattern(source);
  return (value, walk, since) => {
    if (most !== undefined && value.length > most && characterCount(value) > most) {
      report(walk, since, tooLong(renderPath(walk.path), most));
    } else if (value.length < 2 * least && characterCount(value) < least) {
      reportValue(walk, since, value, `should be at least ${least} chars long`);
    } else if (pattern === undefined) return;
    else if ('error' in pattern) {
      const rule = `should match '${source}, but pattern is invalid: ${pattern.error}'`;
      reportValue(walk, since, value, rule);
    } else if (!pattern.matches(value)) {
      reportValue(walk, since, value, `should match '${source}'`);
    }
  };
};

const formattedCheck = (schema: StructuralSchema): StringCheck | undefined => {
  const format = checkedFormat(schema);
  const isWellFormed = formatCheck(format);
  if (isWellFormed === undefined) return undefined;
  return (value, walk, since) => {
    if (isWellFormed(value)) return;
    const path = renderPath(walk.path);
    const detail = `${path} in body must be of type ${format}: ${goQuote(value)}`;
    report(walk, since, typeInvalid(path, value, detail));
  };
};

export const stringCheck = (schema: StructuralSchema): StringCheck | undefined => {
  const text = textCheck(schema);
  const formatted = formattedCheck(schema);
  if (text === undefined || formatted === undefined) return text ?? formatted;
  return (value, walk, since) => {
    text(value, walk, since);
    formatted(value, walk, since);
  };
};
