import { ParseError } from '@perigee/schema/errors';
import { parseTime } from '@perigee/schema/values/time';
import { humanDuration } from './human-duration.ts';

/** Time since a timestamp, as tables show it. */
export const ageOf = (time: string | undefined, nowMs: number): string => {
  if (time === undefined || time === '' || time === 'null') return '<unknown>';
  try {
    return humanDuration(nowMs - parseTime(time));
  } catch (error) {
    if (error instanceof ParseError) return '<invalid>';
    throw error;
  }
};
