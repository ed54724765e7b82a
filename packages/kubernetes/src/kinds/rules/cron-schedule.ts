import { parseCron } from '@perigee/api/values/cron-schedule';
import { ParseError } from '@perigee/schema/errors';

/** What is wrong with the schedule of a CronJob, in the words of Kubernetes. */
export const checkSchedule = (schedule: string): readonly string[] => {
  if (schedule.includes('TZ')) {
    return ['cannot use TZ or CRON_TZ in schedule, use timeZone field instead'];
  }
  try {
    parseCron(schedule);
    return [];
  } catch (error) {
    if (error instanceof ParseError) return [error.message];
    throw error;
  }
};
