import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConfigError, ConnectionError } from '@perigee/kube/errors';
import { openContext } from '@perigee/kube/kubeconfig/open-context';
import { parseKubeconfig } from '@perigee/kube/kubeconfig/parse-kubeconfig';
import { resolveContext } from '@perigee/kube/kubeconfig/resolve-context';
import type { Secret } from '@perigee/kubernetes/core/secret';
import { isRegistrationError } from '@perigee/registration/errors';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { checkName } from '../../check-name.ts';
import { type Connection, connectTo, openConnection } from '../../connect.ts';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import type { ServerChoice } from '../../open-client.ts';
import { notify } from '../../output/notify.ts';
import { unregisterAll } from '../registration/run-unregister.ts';
import { findCredentials, removeCredentials } from './credentials-secret.ts';
import { removeAccess } from './member-access.ts';
import { accessNames } from './member-objects.ts';
import { openMember } from './run-join.ts';

export interface UnjoinOptions {
  readonly clusterKubeconfig?: string;
  readonly clusterContext?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** In milliseconds. */
  readonly timeout: number;
}

/** Connects to the cluster with the credentials that its join stored in the control plane. */
const openJoined = async ({ metadata, data = {} }: Secret): Promise<Connection> => {
  const text = Buffer.from(data.kubeconfig ?? '', 'base64').toString('utf8');
  const name = `the Secret ${metadata.namespace}/${metadata.name}`;
  const kubeconfig = await parseKubeconfig(text, { name });
  return connectTo(await openContext(resolveContext(kubeconfig), { clock, env: {} }));
};

const openEither = (
  { clusterKubeconfig, clusterContext }: UnjoinOptions,
  secret: Secret | undefined,
): Promise<Connection> | undefined => {
  if (clusterKubeconfig !== undefined) {
    const context = present({ clusterContext });
    return openMember({ clusterKubeconfig, ...context });
  }
  return secret && openJoined(secret);
};

/** Removes the access from the cluster itself. With `--force` an unreachable cluster is only reported. */
const closeMember = async (
  name: string,
  secret: Secret | undefined,
  options: UnjoinOptions,
): Promise<void> => {
  const { role, namespace } = accessNames(name);
  const byHand = `remove it there with "kubectl delete clusterrole/${role} clusterrolebinding/${role} namespace/${namespace}"`;
  try {
    await using member = await openEither(options, secret);
    if (member === undefined) {
      notify(
        `nobody knows a way into ${name}, so what joining made there stays: ${byHand}, or name --cluster-kubeconfig`,
      );
      return;
    }
    await removeAccess(member.client, name);
  } catch (error) {
    const isLost = error instanceof ConnectionError || error instanceof ConfigError;
    if (!options.force || !isLost) {
      throw new CommandError(
        EXIT.unreachable,
        `${name} is unregistered, but the access that joining made in it is still there: try again, ${byHand}, or use --force`,
        { cause: error },
      );
    }
    notify(`${name} does not answer, so the access that joining made in it stays: ${byHand}`);
  }
};

/** Reverses a join: moves the work away, deletes the record, then removes the access on both sides. */
export const runUnjoin = async (
  name: string,
  options: UnjoinOptions,
  command: Command,
): Promise<void> => {
  checkName(name, 'a cluster');
  await using plane = await openConnection(command.optsWithGlobals<ServerChoice>());
  const { client } = plane;
  const secret = await findCredentials(client, name);
  const { force = false, dryRun = false, timeout } = options;
  try {
    await unregisterAll(client, [{ name }], { force, dryRun, wait: true, timeout });
  } catch (error) {
    // An earlier unjoin was interrupted: the record is gone, the Secret is not.
    if (secret === undefined || !isRegistrationError(error, 'NotRegistered')) throw error;
  }
  if (dryRun) return;
  await closeMember(name, secret, options);
  if (secret !== undefined) await removeCredentials(client, secret);
  process.stdout.write(`${name} unjoined\n`);
};
