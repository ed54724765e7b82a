import { join } from 'node:path';
import type { Shell } from '../placement/placement-world.ts';

const NAMESPACE = 'perigee-system';

/** Brings what `deploy/kubernetes` has to a server. Nobody there runs the Deployments. */
export const deploy = async ({ run }: Shell): Promise<void> => {
  await run('kubectl apply -f deploy/kubernetes/namespace.yaml');
  await run('kubectl --namespace= apply -f deploy/kubernetes');
};

export const undeploy = async ({ run }: Shell): Promise<void> => {
  await run('kubectl --namespace= delete -f deploy/kubernetes --timeout=60s');
};

/** A kubeconfig with which a process is one of the service accounts of `deploy/kubernetes`. */
export const kubeconfigOf = async (
  { run }: Shell,
  kubeconfig: string,
  folder: string,
  account: string,
): Promise<string> => {
  const own = join(folder, account);
  const token = await run(`kubectl -n ${NAMESPACE} create token ${account}`);
  const config = `kubectl --kubeconfig=${own} config`;
  await run(`install -m 600 ${kubeconfig} ${own}`);
  await run(`${config} set-credentials ${account} --token=${token}`);
  await run(`${config} set-context --current --user=${account}`);
  return own;
};
