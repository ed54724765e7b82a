import { goQuote } from '@perigee/schema/go-text';

const listed = (audiences: readonly string[]): string =>
  `[${audiences.map((audience) => goQuote(audience)).join(' ')}]`;

/** Audiences of the token among the requested ones. */
export const sharedAudiences = (
  token: readonly string[],
  asked: readonly string[],
): readonly string[] => token.filter((audience) => asked.includes(audience));

export const wrongAudience = (token: readonly string[], asked: readonly string[]): string =>
  `token audiences ${listed(token)} is invalid for the target audiences ${listed(asked)}`;
