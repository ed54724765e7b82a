import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubectlBinary } from '../test/clients/client-binaries.ts';
import { openKubectlShell } from '../test/clients/kubectl-shell.ts';
import { playSession } from '../test/clients/session.ts';

/**
 * Plays the sessions of kubectl against the server of PERIGEE_TEST_KUBECONFIG, which should be new and
 * be thrown away afterwards, and writes down what it shows:
 *
 *     PERIGEE_TEST_KUBECONFIG=… npx node tools/record-kubectl-sessions.ts [session…]
 */
const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG;
if (kubeconfig === undefined) {
  throw new Error('set PERIGEE_TEST_KUBECONFIG to the kubeconfig of a throw-away cluster');
}
const folder = new URL('../test/clients/sessions/', import.meta.url).pathname;
const sessionNames = process.argv.slice(2);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => file.replace(/\.txt$/, ''))
  .filter((name) => sessionNames.length === 0 || sessionNames.includes(name));

for (const name of names) {
  using shell = openKubectlShell({
    kubectl: kubectlBinary().path,
    connection: [`--kubeconfig=${kubeconfig}`],
    namespace: `session-${name}`,
    cwd: join(folder, 'files'),
  });
  await shell.run(`kubectl create namespace session-${name}`);
  const file = join(folder, `${name}.txt`);
  writeFileSync(file, await playSession(shell, readFileSync(file, 'utf8')));
  console.log(`recorded ${name}`);
}
