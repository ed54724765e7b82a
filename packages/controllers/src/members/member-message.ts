import { ApiError, NOT_SERVED } from '@perigee/kube/errors';

const LONGEST_TEXT = 1024;
/** The form of reasons in Kubernetes. */
const REASON = /^[A-Z][A-Za-z]{0,63}$/;
/** Control characters and bidirectional marks, which could manipulate a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Makes untrusted text a single line that is safe to print and of bounded length. */
const printableLine = (text: string): string => {
  const line = text
    .slice(0, 2 * LONGEST_TEXT)
    .replace(UNPRINTABLE, ' ')
    .trim();
  return line.length <= LONGEST_TEXT ? line : `${line.slice(0, LONGEST_TEXT)}…`;
};

const isStatus = ({ status: { kind, status } }: ApiError): boolean =>
  kind === 'Status' || status === 'Failure';

/** The code and the reason of an error, without text from the remote side. */
export const answerOf = ({ code, reason }: ApiError): string =>
  REASON.test(reason) ? `status ${code}, ${reason}` : `status ${code}`;

const withoutWords = (error: ApiError): string => `the member answered with ${answerOf(error)}`;

/**
 * The reason of a failure at a member, for conditions and events. A Status from the member is included, since only
 * the member knows its reason. Other responses are not: any server may be at the address in a Cluster, and tenants
 * must not read its responses through the control plane.
 */
export const memberMessage = (error: unknown): string => {
  if (!(error instanceof ApiError)) {
    return printableLine(error instanceof Error ? error.message : `${error}`);
  }
  const isReported = isStatus(error) || error.reason === NOT_SERVED;
  return isReported ? printableLine(error.message) : withoutWords(error);
};

/**
 * The same for one object. A refusal of a Secret may quote it, and more users may read this message than the
 * Secret.
 */
export const memberMessageOf = (
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  error: unknown,
): string =>
  apiVersion === 'v1' && kind === 'Secret' && error instanceof ApiError
    ? withoutWords(error)
    : memberMessage(error);
