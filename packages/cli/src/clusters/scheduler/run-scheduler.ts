import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { startScheduler } from '@perigee/controllers/clusters/scheduler-lifecycle/start-scheduler';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { checkName } from '../../check-name.ts';
import { openClient, type ServerChoice } from '../../open-client.ts';
import { notify } from '../../output/notify.ts';
import { untilAskedToStop } from '../../until-asked-to-stop.ts';

export interface RunSchedulerOptions extends ServerChoice {
  readonly name: string;
  /** Exits at the end of standard input, which the parent process holds open. */
  readonly untilInputEnds?: boolean;
}

/** Time for the last requests after a stop: the server may have gone together with the parent. */
const LAST_WORDS_MS = 5_000;

const untilInputEnds = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.resume().once('end', () => {
      clock.timer(LAST_WORDS_MS, () => process.exit(1));
      resolve();
    });
  });

/**
 * Reports a missing Scheduler object: without it no work is distributed here, and a misspelt name would go
 * unnoticed.
 */
const greeting = async (client: Pick<Client, 'get'>, name: string): Promise<string> => {
  const scheduler = await getOrUndefined(client, Scheduler, { name });
  return scheduler !== undefined
    ? `the scheduler ${name} is at work`
    : `the scheduler ${name} is at work, but no Scheduler object has that name: create it, or correct --name`;
};

/** Runs one scheduler in the foreground until the user stops it. */
export const runScheduler = async (options: RunSchedulerOptions): Promise<void> => {
  const { name } = options;
  checkName(name, 'a Scheduler');
  const stopRequest = untilAskedToStop();
  const stopOrInputEnd = options.untilInputEnds
    ? Promise.race([stopRequest, untilInputEnds()])
    : stopRequest;
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await openClient(options, logger);
  // A request first, so that an unreachable server fails at once instead of being retried.
  const welcome = options.untilInputEnds ? undefined : await greeting(client, name);
  await using _scheduler = await startScheduler({ name, client, clock, logger });
  if (welcome !== undefined) notify(welcome);
  await stopOrInputEnd;
  // An open standard input would keep the process alive.
  process.stdin.destroy();
};
