import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { startPerigee } from '@perigee/host/start-perigee';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { prepareSeedCases, type SeedWorld, seedCases } from './seed-cases.ts';

const { path: kubectl, skip } = kubectlBinary();

describe('the user cases of the design, by kubectl against a virtual member', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let world: SeedWorld;
  before(async () => {
    const data = mkdtempSync(join(tmpdir(), 'perigee-groups-'));
    stack.defer(() => rmSync(data, { recursive: true, force: true }));
    const logger = createLogger({ clock, level: 'error', write: () => {} });
    const { kubeconfig } = stack.use(
      await startPerigee({ data, members: 1, nodes: 1, clock, logger }),
    );
    const context = 'member1';
    const connection = ['--kubeconfig', kubeconfig, '--context', context];
    const shell = stack.use(openKubectlShell({ kubectl, connection, namespace: 'default' }));
    world = { shell, kubeconfig, context };
    await prepareSeedCases(world);
  });
  after(() => stack.disposeAsync());

  seedCases(() => world);
});
