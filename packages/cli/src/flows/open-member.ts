import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { memberConfig } from '@perigee/controllers/members/member-config';
import { proxiedConfig } from '@perigee/kube/client/proxied-config';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { loadKubeconfig } from '@perigee/kube/kubeconfig/load-kubeconfig';
import { Secret } from '@perigee/kubernetes/core/secret';
import { present } from '@perigee/schema/present';
import { type Connection, connectTo, openConnection } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerChoice } from '../open-client.ts';

type Connector = () => Promise<Connection | undefined>;

/** Undefined when the server has no such resource or denies access to it: another connector may work. */
const ifAllowed = async <T>(request: Promise<T>): Promise<T | undefined> => {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && [401, 403, 404, 405].includes(error.code)) return undefined;
    throw error;
  }
};

/** With the user's own credentials, by the context named for the cluster that `perigee up`, or the user, wrote. */
const byContext = async (
  cluster: string,
  { kubeconfig }: ServerChoice,
): Promise<Connection | undefined> => {
  const choice = present({ kubeconfig });
  const userConfig = await loadKubeconfig({ env: process.env, ...choice });
  return userConfig?.contexts.has(cluster)
    ? openConnection({ ...choice, context: cluster })
    : undefined;
};

/** With the user's own identity, through the proxy of the control plane, where there is one and they may use it. */
const byProxy = async (
  cluster: string,
  { config }: Connection,
): Promise<Connection | undefined> => {
  const member = await connectTo(proxiedConfig(config, cluster));
  const isThere = await ifAllowed(member.client.caller.text({ method: 'GET', path: '/version' }));
  if (isThere !== undefined) return member;
  await member[Symbol.asyncDispose]();
  return undefined;
};

/** With the Secret that the controllers use, for users who may read it. */
const bySecret = async (
  cluster: string,
  { client }: Connection,
): Promise<Connection | undefined> => {
  const target = await ifAllowed(client.get(MemberCluster, { name: cluster }));
  const secretRef = target?.spec.secretRef;
  const secret = secretRef && (await ifAllowed(client.get(Secret, secretRef)));
  if (target === undefined || secret === undefined) return undefined;
  return connectTo(await memberConfig(target, secret, clock));
};

/** Connects a user to a member, by the first of these connectors that works. */
export const openMember = async (
  cluster: string,
  control: Connection,
  choice: ServerChoice,
): Promise<Connection> => {
  const connectors: readonly Connector[] = [
    () => byContext(cluster, choice),
    () => byProxy(cluster, control),
    () => bySecret(cluster, control),
  ];
  for (const connector of connectors) {
    const member = await connector();
    if (member !== undefined) return member;
  }
  throw new CommandError(
    EXIT.notFound,
    `what it printed is in the cluster ${cluster}, and there is no way to it: the kubeconfig has no context of that name, the server lets you through to it by no proxy (the role perigee-member-reader gives that right), and you may not read its credentials`,
  );
};
