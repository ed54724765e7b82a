import type { Clock } from '@perigee/kube/clock/clock';
import type { Metrics } from '@perigee/kube/observe/metrics';
import type { Request } from '../request/request.ts';
import type { AuditEvent, AuditLevel } from './audit-event.ts';
import { AuditFile, type AuditFileOptions } from './audit-file.ts';
import { AuditRecord } from './audit-record.ts';

/** Options of the audit log of a server. */
export interface AuditOptions {
  /** `Metadata` by default; `Request` adds the bodies of requests, except confidential ones. */
  readonly level?: AuditLevel;
  /** A file of JSON lines, or a callback for every event. */
  readonly to: AuditFileOptions | ((event: AuditEvent) => void);
}

/** Writes audit events, without blocking requests. */
export interface AuditLog extends AsyncDisposable {
  /** Begins to follow a request. */
  begin(request: Request, id: string): AuditRecord;
}

export const openAuditLog = async (
  { level = 'Metadata', to }: AuditOptions,
  clock: Pick<Clock, 'now'>,
  metrics: Metrics,
): Promise<AuditLog> => {
  const total = { name: 'apiserver_audit_event_total', help: 'Events of the audit log.' };
  const events = metrics.counter(total).with();
  const lostEvents = metrics
    .counter({
      name: 'apiserver_audit_error_total',
      help: 'Events of the audit log that were lost.',
      labels: ['plugin'],
    })
    .with({ plugin: typeof to === 'function' ? 'function' : 'log' });
  const file =
    typeof to === 'function'
      ? undefined
      : await AuditFile.open(to, (lines) => lostEvents.increment(lines));
  const report = (event: AuditEvent): void => {
    events.increment();
    try {
      if (typeof to === 'function') to(event);
      else file?.write(JSON.stringify(event));
    } catch {
      lostEvents.increment();
    }
  };
  return {
    begin: (request, id) => new AuditRecord({ clock, level, report }, request, id),
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]();
    },
  };
};
