import { parseCron } from '@perigee/api/values/cron-schedule';
import { nextTime } from '@perigee/api/values/cron-times';
import { ParseError } from '@perigee/schema/errors';
import { parseTime } from '@perigee/schema/values/time';
import { type Operation, policyOf, statusOf } from './operation.ts';

export type Start =
  | { readonly kind: 'at'; readonly atMs: number }
  | { readonly kind: 'never'; readonly why: 'event' }
  | { readonly kind: 'never'; readonly why: 'schedule'; readonly message: string };

/**
 * The next start of an operation by its policy. Several missed starts are combined into one.
 */
export const nextStart = (operation: Operation): Start => {
  const policy = policyOf(operation);
  const { creationTimestamp } = operation.metadata;
  if (policy === 'Once') return { kind: 'at', atMs: -Infinity };
  if (policy === 'OnEvent') return { kind: 'never', why: 'event' };
  const { spec } = operation;
  const schedule = 'schedule' in spec ? (spec.schedule ?? '').trim() : '';
  try {
    const last = statusOf(operation).lastScheduleTime ?? creationTimestamp;
    const atMs = nextTime(parseCron(schedule), parseTime(last));
    if (atMs !== undefined) return { kind: 'at', atMs };
    return { kind: 'never', why: 'schedule', message: `the time of ${schedule} never comes` };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { kind: 'never', why: 'schedule', message: error.message };
  }
};
