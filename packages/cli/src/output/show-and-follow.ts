import { once } from 'node:events';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { untilChanged } from '@perigee/kube/client/until-changed';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { terminalOf } from './terminal.ts';

/** What a look found, and from which version of each kind on changes are news. */
export interface Look {
  readonly text: string;
  readonly versions: ReadonlyMap<ResourceKind, string>;
}

/** Between two looks, however much happens. */
const REST_MS = 1_000;
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

/** A text on the screen, and how wide that was. */
interface Drawn {
  readonly text: string;
  readonly columns: number;
}

/**
 * Lets the next text stand in the place of this one; what scrolled by before stays. When the terminal has another
 * width by now, nobody knows where the text begins.
 */
const back = ({ text, columns }: Drawn): string => {
  const lines = text.split('\n').length - 1;
  const { rows = 0, columns: columnsNow } = process.stdout;
  return columns === columnsNow && lines < rows ? `\u001b[${lines}F\u001b[J` : CLEAR_SCREEN;
};

export interface FollowOptions {
  /** Whether each look gives only what is new, so that nothing stands between the texts. */
  readonly isPieces?: boolean;
  /** Looks again after this time, even if nothing has changed, and when the terminal changes its size. */
  readonly atLatestMs?: number;
}

/** Resolves when something has changed, and at the latest after the time that is given. */
const untilNews = async (client: Client, { versions }: Look, atLatestMs?: number) => {
  if (atLatestMs === undefined) return untilChanged(client, versions);
  const enough = new AbortController();
  const { signal } = enough;
  const time = clock.sleep(atLatestMs, signal).catch(() => undefined);
  const resized = once(process.stdout, 'resize', { signal }).catch(() => undefined);
  try {
    await Promise.race([untilChanged(client, versions, { signal }), time, resized]);
  } finally {
    enough.abort();
  }
};

/** Shows something once; or again whenever something changes, until it is stopped or nothing can change any more. */
export const showAndFollow = async (
  client: Client,
  isFollowed: boolean,
  look: () => Promise<Look>,
  { isPieces = false, atLatestMs }: FollowOptions = {},
): Promise<void> => {
  const isDrawn = terminalOf(process.stdout).width !== undefined;
  let drawn: Drawn | undefined;
  const between = (last: Drawn): string => (isDrawn ? back(last) : isPieces ? '' : '\n');
  for (let looks = 0; looks === 0 || isFollowed; looks++) {
    const latest = await look();
    const { text, versions } = latest;
    process.stdout.write((drawn === undefined ? '' : between(drawn)) + text);
    drawn = { text, columns: process.stdout.columns };
    if (!isFollowed || versions.size === 0) return;
    await untilNews(client, latest, atLatestMs);
    await clock.sleep(REST_MS);
  }
};
