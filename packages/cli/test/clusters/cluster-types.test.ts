import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { startPerigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Secret } from '@perigee/kubernetes/core/secret';
import { parse, stringify } from 'yaml';
import { OpenStackCloud } from '../../../controllers/test/support/openstack-cloud.ts';
import { welcome } from '../../src/up/welcome.ts';
import { perigee as command } from '../command-line.ts';

const PATIENCE_MS = 30_000;

/** Resolves when all records have a phase other than Pending. */
const untilSeen = async (client: Client, count: number): Promise<void> => {
  using deadline = deadlineAfter(clock, PATIENCE_MS);
  const seen = new Set<string>();
  const options = { sendInitialEvents: true, signal: deadline.signal };
  for await (const event of client.watch(ClusterRecord, options)) {
    if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
    const { metadata, status = {} } = event.object;
    const isSeen = status.phase !== undefined && status.phase !== 'Pending';
    if (isSeen) seen.add(metadata.name);
    if (seen.size === count) return;
  }
};

/** The kubeconfig of a member, as if it were an external cluster. */
const kubeconfigOf = (path: string, context: string): string => {
  const config = parse(readFileSync(path, 'utf8'));
  return stringify({ ...config, 'current-context': context });
};

/** The cells of a table, by the first cell of the row and by the column. */
const cellsOf = (table: string): { [name: string]: { [column: string]: string } } => {
  const [head = '', ...lines] = table.trimEnd().split('\n');
  const starts = [...head.matchAll(/\S+/g)].map(({ 0: name, index }) => ({ name, index }));
  const cells = (line: string) =>
    Object.fromEntries(
      starts.map(({ name, index }, at) => [name, line.slice(index, starts[at + 1]?.index).trim()]),
    );
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], cells(line)]));
};

test('the list of clusters is right for all types', async () => {
  await using cloud = await OpenStackCloud.start();
  const logger = createLogger({ clock, level: 'error', write: () => {} });
  const options = { members: 1, nodes: 2, clock, logger };
  await using elsewhere = await startPerigee(options);
  await using world = await startPerigee(options);
  const { client, kubeconfig } = world;
  const secret = (name: string, stringData: object) =>
    client.create(Secret, { metadata: { namespace: 'default', name }, stringData } as never);
  await secret('elsewhere', { kubeconfig: kubeconfigOf(elsewhere.kubeconfig, 'member1') });
  const login = { username: 'u', password: 'right', projectName: 'p', region: 'RegionOne' };
  await secret('cloud', { authUrl: `${cloud.url}/v3`, ...login });
  const register = (name: string, type: string, secretName: string) =>
    client.create(ClusterRecord, {
      metadata: { name },
      spec: { type, secretRef: { namespace: 'default', name: secretName } } as never,
    });
  await register('elsewhere', 'kubernetes', 'elsewhere');
  await register('cloud', 'openstack', 'cloud');
  await register('lost', 'openstack', 'nowhere');
  await untilSeen(client, 4);

  const { stdout } = await command(['list', 'clusters', '-o', 'wide', '--kubeconfig', kubeconfig]);
  const cells = cellsOf(stdout);
  const told = ['TYPE', 'PHASE', 'WHY', 'CPU', 'MEM'].map((column) =>
    ['member1', 'elsewhere', 'cloud', 'lost'].map((name) => cells[name]?.[column]),
  );
  assert.deepEqual(
    told,
    [
      ['virtual', 'kubernetes', 'openstack', 'openstack'],
      ['Ready', 'Ready', 'Ready', 'NotReady'],
      ['ClusterReady', 'ClusterReady', 'ClusterReady', 'SecretMissing'],
      ['16', '16', '100', ''],
      ['64Gi', '64Gi', '204800Mi', ''],
    ],
    stdout,
  );

  const { items } = await client.list(ClusterRecord);
  const greeting = welcome(world, items, 1000);
  for (const line of [
    /^ {2}cloud +openstack/m,
    /^ {2}elsewhere +kubernetes/m,
    /^ {2}member1 +virtual +\S+ +\S+ +2$/m,
    /--context=member1 get pods/,
  ]) {
    assert.match(greeting, line);
  }
});
