import type { Clock } from '@perigee/kube/clock/clock';
import type { Request } from '../request/request.ts';

const LONGEST_ID = 256;

/** Id of the request in the audit log, which its client may choose. */
export const auditIdOf = ({ headers }: Request, clock: Pick<Clock, 'uuid'>): string => {
  const auditId = headers['audit-id'];
  return typeof auditId === 'string' && auditId !== ''
    ? auditId.slice(0, LONGEST_ID)
    : clock.uuid();
};
