import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { showAndFollow } from '../output/show-and-follow.ts';
import { formatStructured } from '../output/structured-output.ts';
import { terminalOf } from '../output/terminal.ts';
import { formatStatus } from './format-status.ts';
import { readStatus } from './read-status.ts';

export interface StatusOptions {
  readonly namespace?: string;
  readonly limit: number;
  readonly output?: string;
  readonly watch?: boolean;
}

/** Shows the status of the fleet, once or until it is stopped. */
export const runStatus = async (options: StatusOptions, command: Command): Promise<void> => {
  await using client = await connect(command);
  const { output, watch, ...read } = options;
  const terminal = terminalOf(process.stdout);
  const isWide = output === 'wide';
  await showAndFollow(client, watch ?? false, async () => {
    const { status, versions } = await readStatus(client, { ...read, nowMs: clock.now() });
    const text =
      (await formatStructured(output, status)) ??
      formatStatus(status, { terminal, isWide, now: clock.now() });
    return { text, versions };
  });
};
