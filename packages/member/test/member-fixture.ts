import {
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Pod, type PodSpec, type PodTemplate } from '@perigee/kubernetes/core/pod';
import { type MemberOptions, startMember } from '../src/start-member.ts';

export interface TestCluster extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** Warnings and errors of the log. */
  readonly problems: readonly string[];
  pods(labelSelector?: string): Promise<readonly Pod[]>;
  /** Lets a virtual second pass at a time until the check holds. */
  until(check: () => Promise<boolean>, seconds?: number): Promise<void>;
  /** Stops the member and starts another on the same server. */
  restartMember(): Promise<void>;
}

export type TestOptions = Partial<MemberOptions> & {
  readonly seed?: number;
  readonly server?: Pick<EmbeddedServerOptions, 'access' | 'listener' | 'serviceAccountTokens'>;
  /** Wraps the client of the server for the member. */
  readonly wrapClient?: (client: Client) => Client;
};

/** A cluster of which the whole is in this process and on a virtual clock. */
export const startCluster = async (options: TestOptions = {}): Promise<TestCluster> => {
  const clock = new VirtualClock({ seed: options.seed ?? 1 });
  const problems: string[] = [];
  const write = (line: string) => void problems.push(line);
  const logger = createLogger({ clock, level: 'warn', write });
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startEmbeddedServer({ ...options.server, clock, logger }));
  const { client } = server;
  const { seed: _, server: __, wrapClient = (it) => it, ...given } = options;
  const wrapped = wrapClient(client);
  const start = () =>
    startMember({ nodes: [{ count: 3 }], ...given, client: wrapped, clock, logger });
  let member = await start();
  return {
    clock,
    client,
    problems,
    pods: async (labelSelector) =>
      (await client.list(Pod, { namespace: 'default', ...(labelSelector && { labelSelector }) }))
        .items,
    until: async (check, seconds = 300) => {
      for (let second = 0; second < seconds; second++) {
        await clock.advance(1000);
        if (await check()) return;
      }
      throw new Error(`it did not come true in ${seconds} s; problems: ${problems.join('')}`);
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

/** The labels, the annotations and a container of a template. */
export const template = (
  app: string,
  spec: Partial<PodSpec> = {},
  annotations: { readonly [key: string]: string } = {},
): PodTemplate => ({
  metadata: { labels: { app }, annotations },
  spec: { containers: [{ name: 'main', image: 'app:1' }], ...spec },
});
