import { once } from 'node:events';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { untilChanged } from '@perigee/kube/client/until-changed';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { terminalOf } from './terminal.ts';
import { WatchTroubles } from './watch-troubles.ts';
import { whenThere } from './when-there.ts';

/** A text to show, and the resource versions after which it may be outdated. */
export interface Reading {
  readonly text: string;
  readonly versions: ReadonlyMap<ResourceKind, string>;
}

/** Minimum interval between two reads, however many events arrive. */
const REST_MS = 1_000;
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

/** A text on the screen, and the terminal's width when it was drawn. */
interface Drawn {
  readonly text: string;
  readonly columns: number;
}

/**
 * Escape codes that move the cursor to the start of the drawn text; the scrollback stays. After a resize the text
 * has been rewrapped, so the screen is cleared instead.
 */
const back = ({ text, columns }: Drawn): string => {
  const lines = text.split('\n').length - 1;
  const { rows = 0, columns: columnsNow } = process.stdout;
  return columns === columnsNow && lines < rows ? `\u001b[${lines}F\u001b[J` : CLEAR_SCREEN;
};

export interface FollowOptions {
  /** Each text has only new lines, so no separator is printed between them. */
  readonly isPieces?: boolean;
  /** Reads again after this time, and when the terminal is resized, even if nothing has changed. */
  readonly atLatestMs?: number;
}

/**
 * Resolves on a change, on a resize, and at the latest after `atLatestMs`; with the error of a watch that broke, if
 * that came first.
 */
const untilChange = async (
  client: Client,
  { versions }: Reading,
  atLatestMs?: number,
): Promise<unknown> => {
  if (atLatestMs === undefined) return untilChanged(client, versions);
  const enough = new AbortController();
  const { signal } = enough;
  const time = clock.sleep(atLatestMs, signal).catch(() => undefined);
  const resized = once(process.stdout, 'resize', { signal }).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([untilChanged(client, versions, { signal }), time, resized]);
  } finally {
    enough.abort();
  }
};

/** Shows a text once, or again after every change until it is stopped or final. */
export const showAndFollow = async (
  client: Client,
  isFollowed: boolean,
  read: () => Promise<Reading>,
  { isPieces = false, atLatestMs }: FollowOptions = {},
): Promise<void> => {
  const isDrawn = terminalOf(process.stdout).width !== undefined;
  let lastDrawing: Drawn | undefined;
  const between = (last: Drawn): string => (isDrawn ? back(last) : isPieces ? '' : '\n');
  // Below a printed line, the drawing is no longer where it was.
  const noteReport = (): void => {
    lastDrawing = lastDrawing && { ...lastDrawing, columns: Number.NaN };
  };
  const troubles = new WatchTroubles(atLatestMs, noteReport);
  const noteAway = (): void => {
    troubles.clear();
    noteReport();
  };
  for (let rounds = 0; rounds === 0 || isFollowed; rounds++) {
    const latest = await (rounds === 0 ? read() : whenThere(read, noteAway));
    const { text, versions } = latest;
    process.stdout.write((lastDrawing === undefined ? '' : between(lastDrawing)) + text);
    lastDrawing = { text, columns: process.stdout.columns };
    if (!isFollowed || versions.size === 0) return;
    troubles.begin();
    const failure = await untilChange(client, latest, atLatestMs).catch((error: unknown) => error);
    if (failure === undefined) {
      troubles.clear();
      await clock.sleep(REST_MS);
    } else {
      await troubles.rest(failure);
    }
  }
};
