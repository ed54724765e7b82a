import type { X509Certificate } from 'node:crypto';
import type { AuditNotes } from '../audit/audit-record.ts';
import type { RequestLine } from '../rbac/request-attributes.ts';

/** Credentials and target of a request. The path is the one inside its cluster. */
export interface RequestFacts extends RequestLine {
  /** Value of the header of this name. */
  readonly authorization?: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The certificate of the connection, whose key the client has proven; it is not validated yet. */
  readonly certificate?: X509Certificate;
  /** The audit event, which gets the user and the decision. */
  readonly audit?: AuditNotes;
}

/** All headers, with their names in lower case, in the order in which they came. */
export const headersOf = ({ rawHeaders }: RequestFacts): readonly (readonly [string, string])[] => {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at]?.toLowerCase() ?? '', rawHeaders[at + 1] ?? '']);
  }
  return headers;
};
