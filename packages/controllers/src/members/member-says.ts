import { ApiError, NOT_SERVED } from '@perigee/kube/errors';

const LONGEST_TEXT = 1024;
/** As Kubernetes writes reasons. */
const REASON = /^[A-Z][A-Za-z]{0,63}$/;
/** Controls, and marks that turn the direction of writing: nothing that a terminal would obey. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** The text of a stranger in one line that is safe to show, and not too long. */
const shown = (text: string): string => {
  const line = text
    .slice(0, 2 * LONGEST_TEXT)
    .replace(UNPRINTABLE, ' ')
    .trim();
  return line.length <= LONGEST_TEXT ? line : `${line.slice(0, LONGEST_TEXT)}…`;
};

const isStatus = ({ status: { kind, status } }: ApiError): boolean =>
  kind === 'Status' || status === 'Failure';

/** An answer by its number and its reason alone, in no word of who gave it. */
export const answerOf = ({ code, reason }: ApiError): string =>
  REASON.test(reason) ? `status ${code}, ${reason}` : `status ${code}`;

const withoutWords = (error: ApiError): string => `the member answered with ${answerOf(error)}`;

/**
 * Why something failed at a member, for conditions and events. What a member says about an object is told,
 * because only the member knows it. What is no Status is not: anything may be at the address that a Cluster
 * names, and nobody shall read it through the control plane.
 */
export const memberSays = (error: unknown): string => {
  if (!(error instanceof ApiError)) {
    return shown(error instanceof Error ? error.message : `${error}`);
  }
  const isTold = isStatus(error) || error.reason === NOT_SERVED;
  return isTold ? shown(error.message) : withoutWords(error);
};

/** The same about one object. A refusal of a Secret may quote it, and more people read why than read it. */
export const memberSaysOf = (
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  error: unknown,
): string =>
  apiVersion === 'v1' && kind === 'Secret' && error instanceof ApiError
    ? withoutWords(error)
    : memberSays(error);
