import assert from 'node:assert/strict';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { Connection } from '../src/connection.ts';
import { Perigee } from '../src/perigee.ts';

export const NAMESPACE = 'default';

/** The SDK over a client, without a kubeconfig. */
export const perigeeOver = (client: Client, member?: Connection['member']): Perigee =>
  new Perigee({
    clock,
    client: async () => client,
    namespace: async () => NAMESPACE,
    member: member ?? (async () => assert.fail('no member is needed')),
    [Symbol.asyncDispose]: async () => {},
  });

/** The client with other methods. */
export const withMethods = (client: Client, methods: Partial<Client>): Client =>
  new Proxy(client, {
    get: (target, name) => {
      const value = methods[name as keyof Client] ?? target[name as keyof Client];
      return typeof value === 'function' ? value.bind(target as never) : value;
    },
  });
