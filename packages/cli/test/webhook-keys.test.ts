import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { webhookKeys } from '../src/webhook/webhook-keys.ts';

const NOW = Date.UTC(2030, 0, 1);
const YEAR_MS = 365 * 86_400_000;
const REF = { namespace: 'kube-system', name: 'keys' };
const NAMES = ['127.0.0.1'];

test('the keys of webhooks are made anew when a clock that was ahead made them', async () => {
  await using server = await startEmbeddedServer({ clock: realClock, listener: 'none' });
  const keysAt = (start: number) =>
    webhookKeys(server.client, REF, NAMES, new VirtualClock({ start }));
  const ahead = await keysAt(NOW + 20 * YEAR_MS);
  const right = await keysAt(NOW);
  assert.notEqual(right.cert, ahead.cert);
  for (const cert of [right.cert, right.authority]) {
    assert.ok(new X509Certificate(cert).validFromDate.getTime() <= NOW);
  }
  assert.deepEqual(await keysAt(NOW + YEAR_MS), right, 'those that hold are kept');
  assert.notEqual((await keysAt(NOW + 10 * YEAR_MS)).cert, right.cert, 'those that end are not');
});
