import { ConfigError } from '@perigee/kube/errors';
import { writeAdminKubeconfig } from '../pki/admin-kubeconfig.ts';
import type { Pki } from '../pki/pki.ts';

/**
 * Keeps the kubeconfig of the administrator up to date; to be called with the names of all members. None
 * where no such file is wanted.
 */
export const kubeconfigWriter = (
  path: string | undefined,
  url: string,
  pki: Pki | undefined,
): ((members: readonly string[]) => void) | undefined => {
  if (path === undefined) return undefined;
  if (pki === undefined) {
    throw new ConfigError("a server has an administrator only with the access 'rbac'");
  }
  return (members) => writeAdminKubeconfig(path, { url, pki, members });
};
