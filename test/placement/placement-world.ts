import assert from 'node:assert/strict';
import type { PerigeeOptions } from '@perigee/host/perigee-options';
import { type Perigee, startPerigee } from '@perigee/host/start-perigee';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { type KubectlShell, openKubectlShell } from '../clients/kubectl-shell.ts';

/** A running `perigee up`, and a shell of its user. */
export interface PlacementWorld extends AsyncDisposable {
  readonly perigee: Perigee;
  readonly shell: KubectlShell;
  /** Output of a command, trimmed; throws its errors if it fails. */
  run(command: string): Promise<string>;
  /** Types a command again and again until it prints what is expected. */
  until(command: string, expected: string | RegExp): Promise<void>;
  /** Applies YAML. */
  apply(yaml: string, namespace?: string): Promise<void>;
  /** Waits for the replicas of a Deployment in each of the members, where `-` says that there is none. */
  untilSpread(deployment: string, expected: string | RegExp): Promise<void>;
}

const PATIENCE_MS = 60_000;
/** Between two looks. A kubectl costs 0.1 s of a processor, and one after the other takes it from what is waited for. */
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 400;

export interface Shell extends Pick<PlacementWorld, 'run' | 'until' | 'apply' | 'untilSpread'> {}

const matches = (text: string, expected: string | RegExp): boolean =>
  typeof expected === 'string' ? text === expected : expected.test(text);

/** The words of a user over any shell. */
export const wordsOf = (shell: KubectlShell): Shell => {
  const run = async (command: string): Promise<string> => {
    const { code, stdout, stderr } = await shell.run(command);
    assert.equal(code, 0, `${command}\n${stdout}${stderr}`);
    return stdout.trim();
  };
  const until = async (command: string, expected: string | RegExp): Promise<void> => {
    const limit = realClock.monotonic() + PATIENCE_MS;
    for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const { stdout, stderr } = await shell.run(command);
      if (matches(stdout.trim(), expected)) return;
      assert.ok(
        realClock.monotonic() < limit,
        `${command}\nexpected: ${expected}\nlast seen: ${stdout}${stderr}`,
      );
      await realClock.sleep(pause);
    }
  };
  return {
    run,
    until,
    apply: async (yaml, namespace = 'default') =>
      void (await run(`kubectl -n ${namespace} apply -f - <<'END'\n${yaml}\nEND`)),
    untilSpread: (deployment, expected) => {
      const ready = `get deployment ${deployment} -o 'jsonpath={.status.readyReplicas}/{.spec.replicas}'`;
      const each = `for m in 1 2 3; do kubectl --context=member$m ${ready} 2>/dev/null || printf -- -; printf ' '; done`;
      return until(each, expected);
    },
  };
};

/** Starts everything in this process, on a free port, and leaves nothing on the disk. */
export const openPlacementWorld = async (
  kubectl: string,
  options: PerigeeOptions = {},
): Promise<PlacementWorld> => {
  const logger = createLogger({ clock: realClock, level: 'error' });
  const perigee = await startPerigee({ ...options, logger });
  const connection = [`--kubeconfig=${perigee.kubeconfig}`];
  const cwd = new URL('../../', import.meta.url).pathname;
  const shell = openKubectlShell({ kubectl, connection, namespace: 'default', cwd });
  return {
    perigee,
    shell,
    ...wordsOf(shell),
    [Symbol.asyncDispose]: async () => {
      shell[Symbol.dispose]();
      await perigee[Symbol.asyncDispose]();
    },
  };
};
