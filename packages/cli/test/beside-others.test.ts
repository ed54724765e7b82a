import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { CONTROLLER_NAMES } from '@perigee/controllers/all-controllers';
import { openControllers } from '@perigee/controllers/open-controllers';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { selectControllers } from '@perigee/kube/manager/controller-selection';
import { createLogger } from '@perigee/kube/observe/logger';
import { checkKinds, installKinds, neededKinds } from '../src/controllers/custom-kinds.ts';
import { runWebhook } from '../src/webhook/run-webhook.ts';

const clock = new VirtualClock();
const logger = createLogger({ clock, level: 'error' });

/** A server that serves only some of the kinds. */
const serverOf = (plurals: readonly string[]): Client =>
  ({ discover: async () => allKinds.filter(({ plural }) => plurals.includes(plural)) }) as never;

const needed = async (list: string): Promise<ReturnType<typeof neededKinds>> => {
  const chosenControllers = selectControllers(list, CONTROLLER_NAMES);
  await using opened = openControllers({ client: serverOf([]), clock, logger, chosenControllers });
  return neededKinds(list, opened.controllers);
};

const CLAIMS = 'data-scheduler,data-sources,data-placement,gate';

test('controllers that are named one by one need the kinds that they read, and no others', async () => {
  const kinds = await needed(CLAIMS);
  assert.deepEqual(kinds.map(({ plural }) => plural).sort(), [
    'clusters',
    'datasourceclaims',
    'datasources',
    'resourcebindings',
  ]);
  assert.ok(kinds.every(({ group }) => group !== 'globalscheduler.com'));
  await checkKinds(
    serverOf(['clusters', 'datasourceclaims', 'datasources', 'resourcebindings']),
    kinds,
  );
  await assert.rejects(
    checkKinds(serverOf(['clusters', 'datasourceclaims', 'resourcebindings']), kinds),
    /does not know datasources\.datadependency\.volcano\.sh: start with --install-crds/,
  );
});

/** A server that records the CRDs it receives. */
const notingServer = (plurals: readonly string[], brought: string[]): Client =>
  ({
    ...serverOf(plurals),
    patch: async (_: unknown, { name }: { readonly name: string }) => {
      brought.push(name);
      return {
        metadata: { name },
        status: { conditions: [{ type: 'Established', status: 'True' }] },
      };
    },
  }) as never;

test('beside others, only kinds that are missing are brought: theirs do not become ours', async () => {
  const brought: string[] = [];
  const server = notingServer(['clusters', 'datasources', 'resourcebindings'], brought);
  await installKinds(server, clock, CLAIMS, await needed(CLAIMS));
  assert.deepEqual(brought, ['datasourceclaims.datadependency.volcano.sh']);
});

test('a control plane of its own brings all kinds up to date', async () => {
  const brought: string[] = [];
  await installKinds(notingServer(['clusters'], brought), clock, '*', allKinds);
  assert.equal(brought.length, allKinds.length);
});

test('a whole control plane needs all kinds, also without some controllers', async () => {
  assert.equal(await needed('*'), allKinds);
  assert.equal(await needed('*,-scheduler'), allKinds);
});

test('a webhook for kinds that are not there says which there are', async () => {
  const options = { listen: '0', kinds: 'resourcebindings,datasorces' };
  await assert.rejects(runWebhook(options), /no "datasorces"; the kinds are .*datasources/);
});
