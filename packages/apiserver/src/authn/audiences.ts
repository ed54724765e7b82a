import { goQuote } from '@perigee/schema/go-text';

const listText = (audiences: readonly string[]): string =>
  `[${audiences.map((audience) => goQuote(audience)).join(' ')}]`;

/** Audiences of the token among the requested ones. */
export const sharedAudiences = (
  token: readonly string[],
  requestedAudiences: readonly string[],
): readonly string[] => token.filter((audience) => requestedAudiences.includes(audience));

export const wrongAudience = (
  token: readonly string[],
  requestedAudiences: readonly string[],
): string =>
  `token audiences ${listText(token)} is invalid for the target audiences ${listText(requestedAudiences)}`;
