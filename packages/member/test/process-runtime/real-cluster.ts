import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod, type PodSpec } from '@perigee/kubernetes/core/pod';
import type { Isolation } from '../../src/isolation/isolation.ts';
import { isFinished } from '../../src/pods/pod-state.ts';
import type { ProcessOptions } from '../../src/process-runtime/process-options.ts';
import { RUNTIME } from '../../src/process-runtime/runtime-of.ts';
import { startMember } from '../../src/start-member.ts';
import type { Spec } from './process-pods.ts';

export interface RealCluster extends AsyncDisposable {
  readonly client: Client;
  /** Folder of the member's data. */
  readonly folder: string;
  claim(name: string): Promise<void>;
  start(name: string, spec: Spec): Promise<void>;
  /** Resolves when the pod is as it should be. */
  until(name: string, check: (pod: Pod) => boolean): Promise<Pod>;
  /** Runs a pod to its end; tells what its first container said, with how it ended. */
  run(name: string, spec: Spec): Promise<{ readonly said: string; readonly pod: Pod }>;
  restartMember(): Promise<void>;
}

/** A member whose pods really run, on the clock of this machine. */
export const startRealCluster = async (
  isolation: Isolation,
  options: Partial<ProcessOptions> = {},
): Promise<RealCluster> => {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'perigee-member-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const logger = createLogger({ clock, level: 'warn' });
  const { client } = stack.use(await startEmbeddedServer({ clock, logger }));
  const processes: ProcessOptions = { allow: true, folder, isolation, ...options };
  const start = () =>
    startMember({ client, clock, logger, nodes: [{ count: 1 }], volumeMs: 0, processes });
  let member = await start();
  const until = async (name: string, check: (pod: Pod) => boolean): Promise<Pod> => {
    const fieldSelector = `metadata.name=${name}`;
    for await (const { type, object } of client.watch(Pod, {
      namespace: 'default',
      fieldSelector,
      sendInitialEvents: true,
    })) {
      if (type !== 'BOOKMARK' && check(object as Pod)) return object as Pod;
    }
    throw new Error('the watch ended before');
  };
  const create = async (name: string, spec: Spec): Promise<void> => {
    const annotations = { [RUNTIME]: 'process' };
    const written = { restartPolicy: 'Never', ...spec } as PodSpec;
    await client.create(Pod, {
      metadata: { namespace: 'default', name, annotations },
      spec: written,
    });
  };
  return {
    client,
    folder,
    claim: async (name) => {
      await client.create(PersistentVolumeClaim, {
        metadata: { namespace: 'default', name },
        spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
      });
    },
    start: create,
    until,
    run: async (name, spec) => {
      await create(name, spec);
      const pod = await until(name, isFinished);
      const [{ containerID = '', name: container = '' } = {}] = pod.status?.containerStatuses ?? [];
      const { namespace = '', uid } = pod.metadata;
      const request = { name, namespace, uid, container, containerID, timestamps: false };
      let said = '';
      const { signal } = new AbortController();
      if (containerID !== '') {
        for await (const bytes of member.readPodLog({ ...request, follow: false, signal })) {
          said += bytes;
        }
      }
      return { said, pod };
    },
    restartMember: async () => {
      await member[Symbol.asyncDispose]();
      member = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await member[Symbol.asyncDispose]();
      await stack.disposeAsync();
    },
  };
};
