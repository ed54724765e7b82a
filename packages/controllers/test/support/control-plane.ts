import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';

export interface ControlPlaneOptions {
  readonly controllers:
    | readonly ControllerDefinition[]
    | ((plane: {
        readonly client: Client;
        readonly clock: Clock;
      }) => readonly ControllerDefinition[]);
  readonly clock?: VirtualClock;
  /** Wraps the client of the controllers. */
  readonly reach?: (client: Client) => Client;
  /** True if errors are expected and not logged. */
  readonly isQuiet?: boolean;
}

/** An embedded control plane with some controllers, on a clock that only moves on request. */
export const startControlPlane = async ({
  controllers,
  clock = new VirtualClock(),
  reach = (client) => client,
  isQuiet = false,
}: ControlPlaneOptions) => {
  await using stack = new AsyncDisposableStack();
  const write = isQuiet ? { write: () => {} } : {};
  const logger = createLogger({ clock, level: 'error', ...write });
  const server = stack.use(await startEmbeddedServer({ clock, logger }));
  const { client } = server;
  const start = async (): Promise<Manager> => {
    const controllerList =
      typeof controllers === 'function' ? controllers({ client, clock }) : controllers;
    const { troubles } = server;
    const manager = new Manager({
      client: reach(client),
      clock,
      logger,
      controllers: controllerList,
      troubles,
    });
    await manager.start();
    return manager;
  };
  let manager = await start();
  stack.defer(() => manager[Symbol.asyncDispose]());
  const resources = stack.move();
  return {
    client,
    clock,
    /** The troubles of the controllers. */
    troubles: () => server.troubles.list(),
    /** Ends the controllers, and starts others that know nothing yet. */
    async restart() {
      await manager[Symbol.asyncDispose]();
      manager = await start();
    },
    /** Resolves when no work is left at this moment. */
    settled: () => clock.advance(0),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
