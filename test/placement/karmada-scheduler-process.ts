import { spawn } from 'node:child_process';
import { once } from 'node:events';

const { PERIGEE_TEST_KARMADA_SCHEDULER: scheduler = '' } = process.env;

/** Why tests with Karmada's own scheduler cannot run here; false when they can. */
export const noKarmadaScheduler =
  scheduler === '' &&
  'there is no karmada-scheduler: set PERIGEE_TEST_KARMADA_SCHEDULER to the path of one to run this';

/** Runs Karmada's own scheduler until it is disposed. */
export const startKarmadaScheduler = (
  kubeconfig: string,
): AsyncDisposable & { readonly said: () => string } => {
  const child = spawn(
    scheduler,
    [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  return {
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
};
