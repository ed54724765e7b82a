import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { chooseControllers } from '@perigee/host/choose-controllers';
import type { Progress } from '@perigee/host/progress';
import { startPerigee } from '@perigee/host/start-perigee';
import { listAll } from '@perigee/kube/client/list-all';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { describeIsolation } from '@perigee/member/isolation/isolation';
import { present } from '@perigee/schema/present';
import { childSchedulers } from '../clusters/scheduler/child-schedulers.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { orFail } from '../or-fail.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import { type RepairMode, repair } from './repair.ts';
import { saveMemory } from './save-memory.ts';
import type { UpOptions } from './up-options.ts';
import { welcome } from './welcome.ts';

const whose = (namespaces: readonly string[]): string => {
  if (namespaces.length === 0) return 'all namespaces';
  return `${namespaces.length === 1 ? 'the namespace' : 'the namespaces'} ${namespaces.join(', ')}`;
};

const HINT = '; --process-namespaces restricts it';

/** The lines printed for a step of the start. */
const progressLines = (progress: Progress): readonly string[] => {
  switch (progress.step) {
    case 'server':
      return ['starting the API server'];
    case 'members':
      return [`registering ${progress.count} member clusters`];
    case 'controllers':
      return ['starting the controllers'];
    case 'processes': {
      const { namespaces, hostPaths, isolation } = progress;
      const hint = namespaces.length === 0 ? HINT : '';
      return [
        `pods of ${whose(namespaces)} may run commands on this machine: that is, whoever may create workloads there, in the control plane or in a member${hint}`,
        describeIsolation(isolation),
        ...(hostPaths.length === 0 ? [] : [`they may read and write ${hostPaths.join(', ')}`]),
      ];
    }
  }
};

const notify = (text: string): void => {
  process.stderr.write(`perigee: ${text}\n`);
};

/** Runs a control plane in the foreground until the user stops it. */
export const runUp = async (
  { ephemeral, data, ...options }: UpOptions,
  repairMode?: RepairMode,
): Promise<void> => {
  orFail(EXIT.usage, () => chooseControllers(options));
  if (repairMode !== undefined) {
    if (ephemeral) throw new CommandError(EXIT.usage, '--ephemeral keeps nothing to repair');
    await repair({ data, mode: repairMode, clock, notify });
  }
  const stopRequest = untilAskedToStop();
  const startedAt = clock.monotonic();
  const logger = createLogger({ clock, level: 'warn' });
  const perigee = await startPerigee({
    ...options,
    ...present({ data: ephemeral ? undefined : data }),
    clock,
    logger,
    schedulers: (kubeconfig) => childSchedulers({ kubeconfig }, { clock, logger }),
    onProgress: (progress) => progressLines(progress).forEach(notify),
  });
  const { items: clusters } = await listAll(perigee.client, ClusterRecord);
  using _ = saveMemory(clock);
  process.stdout.write(welcome(perigee, clusters, clock.monotonic() - startedAt));
  await stopRequest;
  notify('stopping; press Ctrl-C again to end at once');
  await perigee[Symbol.asyncDispose]();
};
