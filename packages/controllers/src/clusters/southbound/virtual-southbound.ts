import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import { ChangeListeners } from '../../members/change-listeners.ts';
import type { MemberClients } from '../../members/member-clients.ts';
import { askApiServer } from './kubernetes-southbound.ts';
import type { Southbound } from './southbound.ts';
import type { VirtualHost } from './virtual-host.ts';

export interface VirtualSouthboundOptions {
  readonly host: VirtualHost;
  readonly members: MemberClients;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

/** Virtual members that this process hosts. */
export const virtualSouthbound = ({
  host,
  members,
  clock,
  timeoutMs = 10_000,
}: VirtualSouthboundOptions): Southbound => {
  const failures = new Map<string, string>();
  const listeners = new ChangeListeners();
  const note = (name: string, failure: string | undefined): void => {
    if (failures.get(name) === failure) return;
    if (failure === undefined) failures.delete(name);
    else failures.set(name, failure);
    listeners.notify(name);
  };
  return {
    keepsTargets: true,
    async open(record) {
      const { name } = record.metadata;
      try {
        const endpoint = await host.ensure(record);
        note(name, undefined);
        return endpoint;
      } catch (error) {
        note(name, error instanceof Error ? error.message : String(error));
        // An invalid record is not retried; other errors are.
        if (error instanceof ConfigError) return undefined;
        throw error;
      }
    },
    async probe({ metadata }, target, { signal }) {
      const failure = failures.get(metadata.name);
      if (failure !== undefined) {
        return { kind: 'trouble', reason: 'NotHosted', message: failure };
      }
      const client = target && members.clientFor(target);
      if (client !== undefined) return askApiServer(client, clock, timeoutMs, signal);
      return { kind: 'trouble', reason: 'NotSeenYet', message: 'the member is being started' };
    },
    async close(name) {
      await host.remove(name);
      failures.delete(name);
    },
    onChange: (listener) => {
      const stack = new DisposableStack();
      stack.use(members.onChange(listener));
      stack.use(listeners.add(listener));
      return stack;
    },
  };
};

/** Virtual members that another process hosts, which keeps their targets and Secrets. */
export const virtualElsewhere = (kubernetes: Southbound): Southbound => ({
  keepsTargets: false,
  probe: async (record, target, options) =>
    target === undefined
      ? {
          kind: 'trouble',
          reason: 'NotHosted',
          message: 'nobody hosts this virtual member: start `perigee up` on this control plane',
        }
      : kubernetes.probe(record, target, options),
  onChange: (listener) => kubernetes.onChange(listener),
});
