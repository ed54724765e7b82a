import { startScheduler } from '@perigee/controllers/scheduler-lifecycle/start-scheduler';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { openClient, type ServerChoice } from '../open-client.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';

export interface RunSchedulerOptions extends ServerChoice {
  readonly name: string;
  /** Ends when its input does: whoever started it holds the other end. */
  readonly untilInputEnds?: boolean;
}

/** Its server may have gone with its parent; nobody would hear of what it still wanted to say. */
const LAST_WORDS_MS = 5_000;

const untilInputEnds = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.resume().once('end', () => {
      clock.timer(LAST_WORDS_MS, () => process.exit(1));
      resolve();
    });
  });

/** Runs one scheduler in the foreground until the user stops it. */
export const runScheduler = async (options: RunSchedulerOptions): Promise<void> => {
  const { name } = options;
  const asked = untilAskedToStop();
  const stopped = options.untilInputEnds ? Promise.race([asked, untilInputEnds()]) : asked;
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await openClient(options, logger);
  await using _scheduler = await startScheduler({ name, client, clock, logger });
  if (!options.untilInputEnds) process.stderr.write(`perigee: the scheduler ${name} is at work\n`);
  await stopped;
  // An input that is still open would keep the process.
  process.stdin.destroy();
};
