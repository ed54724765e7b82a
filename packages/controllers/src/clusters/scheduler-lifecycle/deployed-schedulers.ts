import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { isNotFound } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { leaseOf } from './scheduler-lease.ts';
import type { ProcessContext, SchedulerProcesses } from './scheduler-processes.ts';

export interface DeployedSchedulersOptions {
  /** An image whose entry point is the `perigee` command. */
  readonly image: string;
  /** The namespace of the Deployments and of the service account `perigee-scheduler`. */
  readonly namespace: string;
}

const FIELD_MANAGER = 'perigee-scheduler-lifecycle';
const SERVICE_ACCOUNT = 'perigee-scheduler';
/** A label with the uid, as names may exceed the length of label values. */
const OF_SCHEDULER = 'globalscheduler.com/scheduler-uid';
/** Exceeds the time in which the process finishes its work after SIGTERM. */
const GRACE_SECONDS = 60;

const deploymentOf = (
  { metadata: { name, uid } }: Scheduler,
  { image, namespace }: DeployedSchedulersOptions,
) => {
  const labels = { 'app.kubernetes.io/name': 'perigee-scheduler', [OF_SCHEDULER]: uid };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace,
      name: leaseOf(name).name,
      labels,
      ownerReferences: [
        { apiVersion: 'globalscheduler.com/v1', kind: 'Scheduler', name, uid, controller: true },
      ],
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { [OF_SCHEDULER]: uid } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: SERVICE_ACCOUNT,
          terminationGracePeriodSeconds: GRACE_SECONDS,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'scheduler',
              image,
              args: ['scheduler', '--name', name],
              resources: { requests: { cpu: '100m', memory: '128Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
};

/** Runs each scheduler as a Deployment, owned by its Scheduler object so that it is garbage-collected with it. */
export class DeployedSchedulers implements SchedulerProcesses {
  readonly #options: DeployedSchedulersOptions;
  /** The uids of schedulers whose Deployments this process has applied. */
  readonly #appliedUids = new Set<string>();

  constructor(options: DeployedSchedulersOptions) {
    this.#options = options;
  }

  async start(scheduler: Scheduler, { client, signal }: ProcessContext): Promise<void> {
    const { uid } = scheduler.metadata;
    // An inactive scheduler may have lost its Deployment, so that it is applied again.
    if (this.#appliedUids.has(uid) && scheduler.status?.phase === 'Active') return;
    const body = deploymentOf(scheduler, this.#options);
    const { namespace, name } = body.metadata;
    const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
    await client.patch(Deployment, { namespace, name }, patch, { signal });
    this.#appliedUids.add(uid);
  }

  async stop(name: string, { client, signal }: ProcessContext): Promise<boolean> {
    const ref = { namespace: this.#options.namespace, name: leaseOf(name).name };
    try {
      // Foreground deletion: the Deployment is gone when its pods are.
      await client.delete(Deployment, ref, { propagationPolicy: 'Foreground', signal });
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
    return false;
  }
}
