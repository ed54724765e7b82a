import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import {
  play,
  readScenario,
  scenarioFiles,
  writeScenario,
} from '../packages/apiserver/test/kinds/scenarios/scenario.ts';

/**
 * Records how a real kube-apiserver answers the requests of the scenarios, or of those named. It needs a
 * server with the service range 10.0.0.0/24 and without the ServiceAccount plugin, and a kubeconfig with
 * a token of somebody who may do everything: PERIGEE_TEST_KUBECONFIG.
 */
const record = async (named: readonly string[]): Promise<void> => {
  const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG ?? '';
  const config = await loadClusterConfig({ env: {}, kubeconfig, clock: realClock });
  const { authorization } = (await config.credentials?.()) ?? {};
  const peer = {
    url: config.server,
    ...(config.caBundle === undefined ? {} : { ca: config.caBundle }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  for (const file of named.length > 0 ? named : scenarioFiles()) {
    const scenario = readScenario(file);
    const namespace = `scenario-${realClock.uuid().slice(0, 8)}`;
    writeScenario(file, { ...scenario, steps: await play(peer, scenario, namespace) });
  }
};

await record(process.argv.slice(2));
