import type { Clock } from '@perigee/kube/clock/clock';
import type { Request } from '../request/request.ts';

const LONGEST_ID = 256;

/** By which a request is found in the audit log: its client may choose. */
export const auditIdOf = ({ headers }: Request, clock: Pick<Clock, 'uuid'>): string => {
  const given = headers['audit-id'];
  return typeof given === 'string' && given !== '' ? given.slice(0, LONGEST_ID) : clock.uuid();
};
