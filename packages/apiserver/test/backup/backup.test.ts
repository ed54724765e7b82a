import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { readBackup } from '../../src/backup/read-backup.ts';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { BackupError } from '../../src/errors.ts';
import type { StoredRecord } from '../../src/store/journal.ts';
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Guarded, newAccount, startGuarded } from '../authn/tls-fixture.ts';
import { temporaryFolder } from '../store/engines.ts';

const BACKUP = '/perigee/backup';
const MAPS = '/api/v1/namespaces/default/configmaps';

/** A text as it would come from a file, in portions that end anywhere. */
async function* portions(text: string, size = 1000): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const takeFrom = async (api: Guarded): Promise<string> => {
  const { code, body } = await api.admin('GET', BACKUP);
  assert.equal(code, 200);
  return body.text as string;
};

const mapOf = (name: string, value: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { value: String(value) },
});

const recordsOf = (store: Store, revision: number): readonly (readonly unknown[])[] =>
  store
    .tables()
    .flatMap((table) =>
      store
        .range(table, { revision })
        .entries.map(({ key, revision: own, bytes }) => [table, key, own, String(bytes)]),
    );

test('a backup under load is of one moment, and misses nothing of it', async () => {
  const folder = join(temporaryFolder(), 'data');
  await using api = await startGuarded({ dataFolder: folder, clusterControllers: false });
  for (const name of ['a', 'b']) await api.admin('POST', MAPS, mapOf(name, 0));
  let isOver = false;
  let written = 0;
  const write = async (): Promise<void> => {
    // The second never gets ahead of the first, and never far behind.
    for (let value = 1; !isOver; value++) {
      for (const name of ['a', 'b']) {
        const { code } = await api.admin('PUT', `${MAPS}/${name}`, mapOf(name, value));
        assert.equal(code, 200);
      }
      await api.admin('POST', MAPS, mapOf(`other-${value}`, value));
      written++;
    }
  };
  const writing = write();
  for (let round = 0; round < 5; round++) {
    const text = await takeFrom(api);
    const found: StoredRecord[] = [];
    const { revision, records } = await readBackup(portions(text), {
      onRecord: (record) => void found.push({ ...record, bytes: Buffer.from(record.bytes) }),
    });
    const seen = found.map(({ table, key, revision, bytes }) => [
      table,
      key,
      revision,
      String(bytes),
    ]);
    assert.deepEqual(seen, recordsOf(api.registry.store, revision));
    assert.equal(records, found.length);
    const valueIn = (name: string): number => {
      const record = found.find(({ key }) => key === `default/${name}`);
      return Number(JSON.parse(String(record?.bytes)).data.value);
    };
    assert.ok([0, 1].includes(valueIn('a') - valueIn('b')), `${valueIn('a')} ${valueIn('b')}`);
  }
  isOver = true;
  await writing;
  assert.ok(written > 0);
});

test('only administrators can take it, and whom a role allows it', async () => {
  await using api = await startGuarded();
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const documents = { verbs: ['get'], nonResourceURLs: ['/metrics', '/perigee'] };
  const nobody = await newAccount(api, 'nobody', [everything, documents]);
  const keeper = await newAccount(api, 'keeper', [{ verbs: ['get'], nonResourceURLs: [BACKUP] }]);
  const { client } = await api.openCluster('m1');
  await client.version();
  const codeFor = async (identity: Parameters<Guarded['call']>[0], path = BACKUP) =>
    (await api.call(identity, 'GET', path)).code;
  assert.equal(await codeFor({}), 401);
  assert.equal(await codeFor({ token: nobody }), 403);
  assert.equal(await codeFor({ token: nobody }, `${BACKUP}/`), 403);
  assert.equal(await codeFor({ token: keeper }), 200);
  assert.equal(await codeFor({ pair: api.pki.admin }), 200);
  assert.equal((await api.call({ pair: api.pki.admin }, 'POST', BACKUP, {})).code, 405);
  // The administrator of a member is none of the control plane.
  const groups = ['system:masters'];
  const pair = api.pki.issueClient({ user: 'boss', groups, clusters: ['m1'] });
  assert.equal(await codeFor({ pair }), 401);
  assert.equal(await codeFor({ pair }, `/clusters/m1${BACKUP}`), 404);
});

test('a restored server is the same to its clients, and hides nothing from them', async () => {
  const root = temporaryFolder();
  const folder = join(root, 'restored');
  const before = await (async () => {
    await using api = await startGuarded({ dataFolder: join(root, 'data') });
    const member = await api.openCluster('m1');
    await api.admin('POST', MAPS, mapOf('kept', 1));
    const token = await newAccount(api, 'reader', [
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] },
    ]);
    const { body: kept } = await api.admin('GET', `${MAPS}/kept`);
    const text = await takeFrom(api);
    const { revision } = api.registry.store;
    // Later writes are lost, and clients have seen them.
    await api.admin('POST', MAPS, mapOf('lost', 1));
    const { body: list } = await api.admin('GET', MAPS);
    const seen = Number((list.metadata as JsonObject).resourceVersion);
    assert.ok(seen > revision && member.url !== '');
    return { pki: api.pki, admin: api.pki.admin, token, kept, text, revision, seen };
  })();
  await restoreBackup(portions(before.text), { folder });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(join(folder, 'pki'))) {
    assert.equal(statSync(join(folder, 'pki', name)).mode & 0o777, 0o600, name);
  }

  await using api = await startGuarded({ dataFolder: folder });
  assert.equal(api.pki.authority, before.pki.authority);
  assert.deepEqual(api.clusters, ['m1']);
  assert.deepEqual((await api.admin('GET', `${MAPS}/kept`)).body, before.kept);
  assert.equal((await api.admin('GET', `${MAPS}/lost`)).code, 404);
  const byToken = await api.call({ token: before.token }, 'GET', `${MAPS}/kept`);
  assert.equal(byToken.code, 200, 'tokens go on');
  assert.equal((await api.call({ pair: before.admin }, 'GET', MAPS)).code, 200);
  for (const version of [before.revision, before.revision + 1, before.seen, before.seen + 500]) {
    const { body } = await api.admin('GET', `${MAPS}?watch=1&resourceVersion=${version}`);
    const told = body.type === 'ERROR' ? (body.object as JsonObject) : body;
    assert.equal(told.code, 410, `a watch from ${version}`);
  }
  const { body: next } = await api.admin('POST', MAPS, mapOf('lost', 2));
  assert.ok(Number((next.metadata as JsonObject).resourceVersion) > before.seen + 500);
});

test('what is no whole backup is refused, and leaves nothing behind', async () => {
  const folder = join(temporaryFolder(), 'restored');
  const text = await (async () => {
    await using api = await startGuarded();
    await api.admin('POST', MAPS, mapOf('find-me', 1));
    return await takeFrom(api);
  })();
  const lines = text.split('\n');
  const damages: readonly (readonly [string, string, RegExp])[] = [
    ['nothing', '', /its end is missing/],
    ['something else', 'hello\n', /line 1 is not what a backup consists of/],
    ['cut in a line', text.slice(0, text.length / 2), /its end is missing/],
    ['cut between lines', `${lines.slice(0, 9).join('\n')}\n`, /its end is missing/],
    ['without its last byte', text.slice(0, -1), /its end is missing/],
    ['another value', text.replace('find-me', 'hide-me'), /it does not match its checksum/],
    ['a record less', text.replace(`${lines[20]}\n`, ''), /it does not match its checksum/],
    [
      'two records changed places',
      text.replace(`${lines[20]}\n${lines[21]}\n`, `${lines[21]}\n${lines[20]}\n`),
      /checksum/,
    ],
    ['something behind its end', `${text}{"file":"ca.key","content":""}\n`, /behind its end/],
    ['without its beginning', text.slice(text.indexOf('\n') + 1), /does not begin as a backup/],
    ['a newer format', text.replace('"format":1', '"format":2'), /in format 2, which this/],
    [
      'a file elsewhere',
      text.replace('"file":"ca.key"', '"file":"../../ca.key"'),
      /line \d+ is not/,
    ],
  ];
  for (const [what, damaged, message] of damages) {
    await assert.rejects(
      restoreBackup(portions(damaged), { folder }),
      (error) => error instanceof BackupError && message.test(error.message),
      what,
    );
    assert.deepEqual(readdirSync(dirname(folder)), [], what);
  }
  await assert.rejects(
    restoreBackup(portions(text), { folder, sha256: 'f'.repeat(64) }),
    /its checksum is [0-9a-f]{64}, not the one that was asked for/,
  );
  assert.equal(existsSync(folder), false);
  await restoreBackup(portions(text, 613), { folder });
  await assert.rejects(restoreBackup(portions(text), { folder }), /holds something already/);
  await using store = openLmdbStore({ path: folder });
  assert.equal(store.range('root//configmaps', { prefix: 'default/find-me' }).entries.length, 1);
});
