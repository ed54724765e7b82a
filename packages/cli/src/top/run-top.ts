import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { showAndFollow } from '../output/show-and-follow.ts';
import { formatStructured } from '../output/structured-output.ts';
import { terminalOf } from '../output/terminal.ts';
import { formatView } from './format-view.ts';
import { readView } from './read-view.ts';

export interface TopOptions {
  readonly namespace?: string;
  readonly output?: string;
  readonly once?: boolean;
}

/** Items read per section; more than any screen shows. */
const LIMIT = 100;
/** Items per section with `--once`, for outputs without a height. */
const LIMIT_ONCE = 10;
/** Redraws at this interval, so that ages grow. */
const AT_LATEST_MS = 5_000;

/** Keeps the fleet on the screen until it is stopped; prints it once if the output is not a terminal. */
export const runTop = async (options: TopOptions, command: Command): Promise<void> => {
  const { namespace, output, once = false } = options;
  await using client = await connect(command);
  const isTerminal = process.stdout.isTTY === true;
  const isFollowed = isTerminal && !once && output === 'table';
  const read = async () => {
    const { view, versions } = await readView(client, {
      ...present({ namespace }),
      limit: isFollowed ? LIMIT : LIMIT_ONCE,
      nowMs: clock.now(),
    });
    const text =
      (await formatStructured(output, view)) ??
      formatView(view, {
        terminal: terminalOf(process.stdout),
        now: clock.now(),
        ...present({ height: isFollowed ? process.stdout.rows : undefined }),
      });
    return { text, versions };
  };
  await showAndFollow(client, isFollowed, read, { atLatestMs: AT_LATEST_MS });
};
