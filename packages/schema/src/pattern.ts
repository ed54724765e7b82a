import { RE2JS, RE2JSException } from 're2js';
import { RecentMap } from './recent-map.ts';

/**
 * A regular expression of a user, in Go's syntax and in linear time: JavaScript's own engine needs
 * hours for some patterns on a line of text, and such a pattern would stop the whole server.
 */
export interface Pattern {
  readonly matches: (text: string) => boolean;
  /** The first match, or the empty string. */
  readonly find: (text: string) => string;
  /** All matches, or the first `limit` of them; a negative limit means all. */
  readonly findAll: (text: string, limit: number) => string[];
}

export interface BadPattern {
  readonly error: string;
}

/** Compiling costs a thousand times as much as matching. */
const MOST_REMEMBERED = 2_000;
const remembered = new RecentMap<string, Pattern | BadPattern>(MOST_REMEMBERED);

const compile = (source: string): Pattern | BadPattern => {
  try {
    const expression = RE2JS.compile(source);
    return {
      matches: (text) => expression.test(text),
      find: (text) => {
        const matcher = expression.matcher(text);
        return matcher.find() ? (matcher.group() ?? '') : '';
      },
      findAll: (text, limit) => {
        const matches: string[] = [];
        const matcher = expression.matcher(text);
        while (matches.length !== limit && matcher.find()) matches.push(matcher.group() ?? '');
        return matches;
      },
    };
  } catch (error) {
    if (error instanceof RE2JSException) return { error: error.message };
    throw error;
  }
};

/** Compiles a pattern, once for each text of it. */
export const toPattern = (source: string): Pattern | BadPattern => {
  const existing = remembered.get(source);
  if (existing !== undefined) return existing;
  const pattern = compile(source);
  remembered.set(source, pattern);
  return pattern;
};
