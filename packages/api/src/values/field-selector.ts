import { ParseError } from '@perigee/schema/errors';

/** A condition on one field. */
interface FieldRequirement {
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All requirements must hold; none select everything. */
export type FieldSelector = readonly FieldRequirement[];

const ESCAPED = /\\(.)?|([,=])/gsu;

const unescapeValue = (text: string): string =>
  text.replace(ESCAPED, (_, escaped: string | undefined, bare: string | undefined) => {
    if (bare !== undefined) {
      throw new ParseError(
        `invalid field selector: unescaped character in value: ${bare.charCodeAt(0)}`,
      );
    }
    if (escaped === undefined || !'\\,='.includes(escaped)) {
      throw new ParseError(`invalid field selector: invalid escape sequence: \\${escaped ?? ''}`);
    }
    return escaped;
  });

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

/** A term ends at a comma that no backslash precedes. */
const TERM = /(?:\\.|[^\\,]|\\$)+/gsu;
const OPERATOR = /!=|==|=/;

/** Reads `metadata.name=x,status.phase!=Running`; `\` escapes `\`, `,` and `=` in a value. */
export const parseFieldSelector = (text: string): FieldSelector =>
  (text.match(TERM) ?? []).toSorted().flatMap((term): FieldSelector => {
    const operator = OPERATOR.exec(term);
    if (operator === null) {
      throw new ParseError(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    const path = term.slice(0, operator.index);
    const value = unescapeValue(term.slice(operator.index + operator[0].length));
    if (path === '' && value === '') return [];
    return [{ path, operator: operator[0] === '!=' ? '!=' : '=', value }];
  });

/** True if all requirements hold; `read` gives the value at a path, empty when it is absent. */
export const matchesFields = (selector: FieldSelector, read: (path: string) => string): boolean =>
  selector.every(({ path, operator, value }) => (read(path) === value) === (operator === '='));

export const formatFieldSelector = (selector: FieldSelector): string =>
  selector.map(({ path, operator, value }) => `${path}${operator}${escapeValue(value)}`).join(',');
