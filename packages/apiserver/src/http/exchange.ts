import type { Duplex } from 'node:stream';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { FlowControl } from '../flow/flow-control.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { Request, Response } from '../request/request.ts';

/** One request on its way through the server. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Aborted when the server closes, to end streams. */
  readonly closing: AbortSignal;
  /** The connection of a WebSocket upgrade, and the bytes after the request. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer };
  readonly metrics: ServerMetrics;
  /** Gives it its turn and its time. */
  readonly flow: FlowControl;
  /** Id of the request for the client and the audit log. */
  readonly auditId: string;
  /** Its audit event, if it is audited. */
  readonly audit?: AuditRecord;
  /** Warnings for the client, sent beside the response. */
  readonly warnings: string[];
  /** The authenticated user, once it is known. */
  user?: UserInfo;
}

export const headerOf = ({ request }: Exchange, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
};
