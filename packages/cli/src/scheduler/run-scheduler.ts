import { startScheduler } from '@perigee/controllers/scheduler-lifecycle/start-scheduler';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';

/** Runs one scheduler in the foreground until the user stops it. */
export const runScheduler = async (name: string, command: Command): Promise<void> => {
  const stopped = untilAskedToStop();
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await connect(command);
  await using _scheduler = await startScheduler({ name, client, clock, logger });
  process.stderr.write(`perigee: the scheduler ${name} is at work\n`);
  await stopped;
};
