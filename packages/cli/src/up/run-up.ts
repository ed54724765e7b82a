import type { JsonObject } from '@perigee/api/json';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { listAll } from '@perigee/kube/client/list-all';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import { type RepairMode, repair } from './repair.ts';
import { type Perigee, startPerigee } from './start-perigee.ts';
import { upOptions } from './up-options.ts';
import { welcome } from './welcome.ts';

const tell = (text: string): void => {
  process.stderr.write(`perigee: ${text}\n`);
};

/** Runs a control plane in the foreground until the user stops it. */
export const runUp = async (
  given: JsonObject,
  configFile: string | undefined,
  repairMode?: RepairMode,
): Promise<void> => {
  const options = upOptions(given, configFile);
  if (repairMode !== undefined) {
    if (options.ephemeral)
      throw new CommandError(EXIT.usage, '--ephemeral keeps nothing to repair');
    await repair({ data: options.data, mode: repairMode, clock, tell });
  }
  const stopped = untilAskedToStop();
  const startedAt = clock.monotonic();
  const logger = createLogger({ clock, level: 'warn' });
  const perigee: Perigee = await startPerigee({ ...options, clock, logger, onProgress: tell });
  const { items: clusters } = await listAll(perigee.client, ClusterRecord);
  process.stdout.write(welcome(perigee, clusters, clock.monotonic() - startedAt));
  await stopped;
  tell('stopping; press Ctrl-C again to end at once');
  await perigee[Symbol.asyncDispose]();
};
