import { ConfigError } from '@perigee/kube/errors';
import { stringify } from 'yaml';
import { ROOT_CLUSTER } from './cluster-units.ts';
import { ADMIN_NAME, type Pki } from './pki.ts';
import { writeSecretFile } from './secret-files.ts';

export interface AdminKubeconfig {
  /** Address of the server, such as `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly pki: Pick<Pki, 'authority' | 'admin'>;
  /** The members, each of which gets a context of its name. */
  readonly members?: readonly string[];
}

const CONTROL_PLANE = 'perigee';
const RESERVED: readonly string[] = [CONTROL_PLANE, ROOT_CLUSTER];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Kubeconfig of the administrator of the control plane and of all its members. */
const adminKubeconfig = ({ url, pki, members = [] }: AdminKubeconfig): string => {
  const reservedName = members.find((name) => RESERVED.includes(name));
  if (reservedName !== undefined) {
    throw new ConfigError(`a member cannot be called ${reservedName}: that is the control plane`);
  }
  const servers = [
    { name: CONTROL_PLANE, server: url },
    ...members.map((name) => ({ name, server: `${url}/clusters/${name}` })),
  ];
  const authority = base64(pki.authority);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: servers.map(({ name, server }) => ({
      name,
      cluster: { server, 'certificate-authority-data': authority },
    })),
    users: [
      {
        name: ADMIN_NAME,
        user: {
          'client-certificate-data': base64(pki.admin.cert),
          'client-key-data': base64(pki.admin.key),
        },
      },
    ],
    contexts: servers.map(({ name }) => ({ name, context: { cluster: name, user: ADMIN_NAME } })),
    'current-context': CONTROL_PLANE,
  };
  return stringify(config, { lineWidth: 0 });
};

/** Writes the kubeconfig to a file, atomically. */
export const writeAdminKubeconfig = (path: string, content: AdminKubeconfig): void =>
  writeSecretFile(path, adminKubeconfig(content));
