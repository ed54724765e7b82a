import { isSelectableKeyword } from './escape.ts';

/** A comment, a text in quotes, a name, or any other character that is no space. */
const TOKEN =
  /\/\/[^\n]*|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\S/g;

const NAME = /^[A-Za-z_]\w*$/;

/** The method by which a message is made, in place of the braces behind its name. */
export const MAKE_MESSAGE = '_';

export interface MessageText {
  readonly text: string;
  /** Position in the source for a position in the text. */
  readonly sourceOf: (position: number) => number;
}

/**
 * The parser knows no messages, such as `Object{spec: Object.spec{?replicas: n}}`. They are written as
 * calls with a map, `Object._({spec: Object.spec._({!replicas: n})})`, which it can read. Fields that are
 * called like words of the language are put in quotes.
 */
export const spellMessages = (source: string): MessageText => {
  const insertions: { readonly at: number; readonly length: number }[] = [];
  const open: boolean[] = [];
  let text = '';
  let copiedTo = 0;
  let before = '';
  const insert = (upTo: number, addition: string): void => {
    text += source.slice(copiedTo, upTo);
    copiedTo = upTo;
    insertions.push({ at: text.length, length: addition.length });
    text += addition;
  };
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    if (token.startsWith('//')) continue;
    if (token === '{') {
      const isMessage = NAME.test(before) && before !== 'in';
      if (isMessage) insert(index, `.${MAKE_MESSAGE}(`);
      open.push(isMessage);
    } else if (token === '}') {
      if (open.pop()) insert(index + 1, ')');
    } else if (open.at(-1) && (before === '{' || before === ',' || before === '?')) {
      if (token === '?') {
        text += `${source.slice(copiedTo, index)}!`;
        copiedTo = index + 1;
      } else if (isSelectableKeyword(token)) {
        insert(index, '"');
        insert(index + token.length, '"');
      }
    }
    before = token;
  }
  text += source.slice(copiedTo);
  const sourceOf = (position: number): number => {
    let shift = 0;
    for (const { at, length } of insertions) {
      if (at < position) shift += Math.min(length, position - at);
    }
    return position - shift;
  };
  return { text, sourceOf };
};
