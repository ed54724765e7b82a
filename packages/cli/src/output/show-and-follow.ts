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
const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J';

export interface FollowOptions {
  /** Whether each look gives only what is new, so that nothing stands between the texts. */
  readonly isPieces?: boolean;
}

/** Shows something once; or again whenever something changes, until it is stopped or nothing can change any more. */
export const showAndFollow = async (
  client: Client,
  isFollowed: boolean,
  look: () => Promise<Look>,
  { isPieces = false }: FollowOptions = {},
): Promise<void> => {
  const between = isPieces ? '' : '\n';
  const before = terminalOf(process.stdout).width === undefined ? between : CLEAR_SCREEN;
  for (let looks = 0; looks === 0 || isFollowed; looks++) {
    const { text, versions } = await look();
    process.stdout.write(looks > 0 ? before + text : text);
    if (!isFollowed || versions.size === 0) return;
    await untilChanged(client, versions);
    await clock.sleep(REST_MS);
  }
};
