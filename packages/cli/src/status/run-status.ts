import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConnectionError, isGone } from '@perigee/kube/errors';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { formatStructured } from '../output/structured.ts';
import { terminalOf } from '../output/terminal.ts';
import { formatStatus } from './format-status.ts';
import { readStatus, type StatusReading } from './read-status.ts';

export interface StatusOptions {
  readonly namespace?: string;
  readonly limit: number;
  readonly output?: string;
  readonly watch?: boolean;
}

/** Between two looks, however much happens. */
const REST_MS = 1_000;
const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J';

/** Resolves with the first change of the kind, and also when the watch breaks: look again then. */
const firstChange = async (
  client: Client,
  kind: ResourceKind,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for await (const { type } of client.watch(kind, { resourceVersion, signal })) {
      if (type !== 'BOOKMARK') return;
    }
  } catch (error) {
    if (!signal.aborted && !isGone(error) && !(error instanceof ConnectionError)) throw error;
  }
};

const untilChanged = async (client: Client, versions: StatusReading['versions']): Promise<void> => {
  const enough = new AbortController();
  const changes = [...versions].map(([kind, version]) =>
    firstChange(client, kind, version, enough.signal),
  );
  try {
    await Promise.race(changes);
  } finally {
    enough.abort();
  }
};

/** Shows how the fleet is doing, once or until it is stopped. */
export const runStatus = async (options: StatusOptions, command: Command): Promise<void> => {
  await using client = await connect(command);
  const { output, watch, ...read } = options;
  const terminal = terminalOf(process.stdout);
  const isWide = output === 'wide';
  for (let looks = 0; looks === 0 || watch; looks++) {
    const { status, versions } = await readStatus(client, read);
    const text =
      (await formatStructured(output, status)) ??
      formatStatus(status, { terminal, isWide, now: clock.now() });
    const before = terminal.width === undefined ? '\n' : CLEAR_SCREEN;
    process.stdout.write(looks > 0 ? before + text : text);
    if (!watch || versions.size === 0) return;
    await untilChanged(client, versions);
    await clock.sleep(REST_MS);
  }
};
