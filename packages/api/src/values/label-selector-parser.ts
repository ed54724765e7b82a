import { ParseError } from '@perigee/schema/errors';
import { checkQualifiedName } from '@perigee/schema/values/names';
import {
  checkLabelRequirement,
  type LabelOperator,
  type LabelRequirement,
} from './label-requirement.ts';

type Sign = '=' | '==' | '!=' | '!' | '(' | ')' | ',' | '<' | '>';

/** A symbol, a word, or the end, which is the empty word that no text can hold. */
type Token =
  | { readonly type: 'symbol'; readonly text: Sign }
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'end'; readonly text: '' };

const END: Token = { type: 'end', text: '' };
const TOKEN = /(==|!=|[=!(),<>])|[^ \t\r\n=!(),<>]+/g;

const tokensOf = (text: string): readonly Token[] =>
  Array.from(
    text.matchAll(TOKEN),
    ([token, symbol]): Token =>
      symbol === undefined
        ? { type: 'word', text: token }
        : { type: 'symbol', text: symbol as Sign },
  );

const OPERATORS = new Map<string, LabelOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

const unexpected = ({ text }: Token, expected: string, comma = ','): ParseError =>
  new ParseError(`found '${text}'${comma} expected: ${expected}`);

/** Reads the text form of a label selector; errors are those of Kubernetes, word for word. */
class LabelSelectorParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  requirements(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#next.type === 'end') return requirements;
    if (!this.#startsRequirement()) {
      throw unexpected(this.#next, "!, identifier, or 'end of string'");
    }
    for (;;) {
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after.type === 'end') return requirements;
      if (after.text !== ',') throw unexpected(after, "',' or 'end of string'");
      if (!this.#startsRequirement()) throw unexpected(this.#next, "identifier after ','");
    }
  }

  get #next(): Token {
    return this.#tokens[this.#position] ?? END;
  }

  #take(): Token {
    const token = this.#next;
    this.#position++;
    return token;
  }

  #startsRequirement(): boolean {
    return this.#next.type === 'word' || this.#next.text === '!';
  }

  #atEndOfRequirement(): boolean {
    return this.#next.type === 'end' || this.#next.text === ',';
  }

  #requirement(): LabelRequirement {
    try {
      return this.#keyAndCondition();
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      throw new ParseError(`unable to parse requirement: ${error.message}`);
    }
  }

  #keyAndCondition(): LabelRequirement {
    const negated = this.#next.text === '!';
    if (negated) this.#take();
    const word = this.#take();
    if (word.type !== 'word') throw unexpected(word, 'identifier');
    const key = word.text;
    const problems = checkQualifiedName(key);
    if (problems.length > 0) {
      throw new ParseError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`);
    }
    if (negated) return { key, operator: '!', values: [] };
    if (this.#atEndOfRequirement()) return { key, operator: 'exists', values: [] };
    const sign = this.#take();
    const operator = OPERATORS.get(sign.text);
    if (operator === undefined) throw unexpected(sign, 'in, notin, =, ==, !=, gt, lt');
    const isSet = operator === 'in' || operator === 'notin';
    return checkLabelRequirement({
      key,
      operator,
      values: isSet ? this.#valueSet() : [this.#value()],
    });
  }

  #value(): string {
    if (this.#atEndOfRequirement()) return '';
    const word = this.#take();
    if (word.type !== 'word') throw unexpected(word, 'identifier');
    return word.text;
  }

  /** Between two commas, or a comma and a bracket, stands the empty value. */
  #valueSet(): readonly string[] {
    const open = this.#take();
    if (open.text !== '(') throw unexpected(open, "'('", '');
    if (this.#next.type !== 'word' && this.#next.text !== ',' && this.#next.text !== ')') {
      throw unexpected(this.#next, "',', ')' or identifier");
    }
    const values = new Set<string>();
    for (;;) {
      if (this.#next.type === 'word') {
        values.add(this.#take().text);
        if (this.#next.text !== ',' && this.#next.text !== ')') {
          throw unexpected(this.#next, "',' or ')'");
        }
      } else if (this.#next.text === ',' || this.#next.text === ')') values.add('');
      else throw unexpected(this.#next, "',', or identifier");
      if (this.#take().text === ')') return [...values].toSorted();
    }
  }
}

export const parseRequirements = (text: string): readonly LabelRequirement[] =>
  new LabelSelectorParser(text).requirements();
