import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { isNotFound } from '@perigee/kube/errors';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { Finding } from '@perigee/scheduling/clusters/inventory/finding';
import { present } from '@perigee/schema/present';
import { identityOf } from '../../members/identity-of.ts';
import type { MemberClients } from '../../members/member-clients.ts';
import { memberConfig } from '../../members/member-config.ts';
import type { Southbound } from './southbound.ts';
import { troubleOf } from './trouble-of.ts';

export interface KubernetesSouthboundOptions {
  /** The client of the control plane, for reading Secrets. */
  readonly client: Client;
  readonly clock: Clock;
  readonly members: MemberClients;
  /** Time limit for a probe. */
  readonly timeoutMs?: number;
}

const NOT_SEEN_YET: Finding = {
  kind: 'trouble',
  reason: 'NotSeenYet',
  message: 'the first connection to it is being made',
};

/** Probes an API server: it has to answer, accept the credentials and be ready. */
export const askApiServer = async (
  client: Client,
  clock: Clock,
  timeoutMs: number,
  parent: AbortSignal,
): Promise<Finding> => {
  using deadline = deadlineAfter(clock, timeoutMs, parent);
  const { signal } = deadline;
  try {
    await client.version({ signal });
    const isReady = (await client.ready?.({ signal })) ?? true;
    if (isReady) {
      const clusterID = await identityOf(client, { signal });
      return { kind: 'well', atMs: clock.now(), ...present({ clusterID: clusterID || undefined }) };
    }
    return {
      kind: 'trouble',
      reason: 'ClusterNotReady',
      message:
        'its API server answers /readyz with an error: look into its logs, or ask for /readyz?verbose',
    };
  } catch (error) {
    parent.throwIfAborted();
    return troubleOf(error);
  }
};

/** Clusters with a Kubernetes API server, reached with the credentials in their Secrets. */
export const kubernetesSouthbound = ({
  client: plane,
  clock,
  members,
  timeoutMs = 10_000,
}: KubernetesSouthboundOptions): Southbound => {
  /** The reason why there is no client for the cluster, from a fresh read of the Secret rather than the cache. */
  const whyUnreachable = async (target: MemberCluster, signal: AbortSignal): Promise<Finding> => {
    const { metadata, spec } = target;
    const { secretRef } = spec;
    if (secretRef === undefined) {
      return {
        kind: 'trouble',
        reason: 'CredentialsMissing',
        message: `spec.secretRef names no Secret: put a kubeconfig, or token and caBundle, into one and name it in cluster ${metadata.name}`,
      };
    }
    const { namespace, name } = secretRef;
    try {
      await memberConfig(target, await plane.get(Secret, secretRef, { signal }), clock);
      return NOT_SEEN_YET;
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotFound(error)) return troubleOf(error);
      return {
        kind: 'trouble',
        reason: 'SecretMissing',
        message: `there is no Secret ${namespace}/${name}, which spec.secretRef names: create it with the key kubeconfig, or token and caBundle`,
      };
    }
  };

  return {
    keepsTargets: true,
    async probe(_, target, { signal }) {
      if (target === undefined) return NOT_SEEN_YET;
      if (target.spec.syncMode === 'Pull') return { kind: 'reported' };
      const client = members.clientFor(target);
      if (client !== undefined) return askApiServer(client, clock, timeoutMs, signal);
      return whyUnreachable(target, signal);
    },
    onChange: (listener) => members.onChange(listener),
  };
};
