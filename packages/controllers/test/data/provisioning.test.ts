import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import {
  DataSourceClaim,
  type DataSourceClaimSpec,
} from '@perigee/api/kinds/data/data-source-claim';
import { findCondition } from '@perigee/api/values/conditions';
import { dataSchedulerController } from '@perigee/controllers/data/data-scheduler-controller';
import { dataSourceController } from '@perigee/controllers/data/data-source-controller';
import { PLUGINS, Provisioners } from '@perigee/controllers/data/provision/provisioners';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { dataProvisionerController } from '../../src/data/provision/data-provisioner-controller.ts';
import { dataRefreshController } from '../../src/data/provision/data-refresh-controller.ts';
import { provisionerSettingsController } from '../../src/data/provision/provisioner-settings-controller.ts';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { startProvisionerServer } from '../support/provisioner-server.ts';

const FOUND = { found: true, locality: { clusterNames: ['c1', 'c2'] }, size: '120Gi' };
const MISSING = { code: 404, body: { found: false, message: 'the job has not run' } };

describe('provisioners', () => {
  let provisioners: Provisioners;
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let hive: Awaited<ReturnType<typeof startProvisionerServer>>;
  let other: Awaited<ReturnType<typeof startProvisionerServer>>;

  before(async () => {
    hive = await startProvisionerServer(() => ({ body: FOUND }));
    other = await startProvisionerServer(() => ({ body: FOUND }));
    plane = await startControlPlane({
      controllers: ({ client, clock }) => {
        provisioners = new Provisioners({ client, clock });
        return [
          dataSchedulerController(),
          dataSourceController(),
          dataProvisionerController({ provisioners, clock }),
          dataRefreshController({ provisioners, clock }),
          provisionerSettingsController({ provisioners }),
        ];
      },
    });
    for (const name of ['c1', 'c2', 'c3']) await addReadyCluster(plane.client, name);
    await plane.client.create(Namespace, { metadata: { name: PLUGINS.namespace } });
    await plane.client.create(ConfigMap, { metadata: PLUGINS, data: {} });
    await configure();
  });
  after(async () => {
    await provisioners[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
    await hive[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    hive.answer(() => ({ body: FOUND }));
    hive.asked.length = 0;
  });

  const configure = (more: { readonly [key: string]: object | string | null } = {}) => {
    const entries = {
      hive: { endpoint: { url: `${hive.url}/where` }, concurrency: 2 },
      other: { endpoint: { url: other.url } },
      ...more,
    };
    const data = Object.fromEntries(
      Object.entries(entries).map(([key, entry]) => [
        key,
        entry === null || typeof entry === 'string' ? entry : JSON.stringify(entry),
      ]),
    );
    return plane.client.patch(ConfigMap, PLUGINS, { type: 'merge', body: { data } });
  };
  const addClaim = (name: string, spec: Partial<DataSourceClaimSpec> = {}, namespace = 'default') =>
    plane.client.create(DataSourceClaim, {
      metadata: { namespace, name },
      spec: {
        system: 'hive',
        dataSourceType: 'table',
        dataSourceName: `db.${name}`,
        workloadSelector: {},
        ...spec,
      } as never,
    });
  const read = async (name: string) => {
    const { status } = await plane.client.get(DataSourceClaim, { namespace: 'default', name });
    const provisioned = findCondition(status?.conditions, 'Provisioned');
    return {
      phase: status?.phase,
      to: status?.boundDataSource,
      why: provisioned?.reason,
      message: provisioned?.message ?? '',
    };
  };
  /** Sockets are of the real world: who waits for them has to look again. */
  const until = async <T>(look: () => Promise<T>, isIt: (seen: T) => boolean): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      await plane.clock.advance(20);
      const seen = await look();
      if (isIt(seen)) return seen;
      assert.ok(tries < 1000, `it stays ${JSON.stringify(seen)}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const bound = (name: string) =>
    until(
      () => read(name),
      ({ phase }) => phase === 'Bound',
    );
  const waiting = (name: string, reason: string) =>
    until(
      () => read(name),
      ({ why }) => why === reason,
    );
  const sourceOf = async (name: string) => {
    const { to = '' } = await bound(name);
    return plane.client.get(DataSource, { name: to });
  };
  const asksOf = (name: string) =>
    hive.asked.filter(({ body }) => JSON.stringify(body).includes(`"db.${name}"`)).length;

  it('are asked when no source matches, and what they find is registered', async () => {
    await addClaim('sales', { attributes: { format: 'parquet' } });
    const { metadata, spec } = await sourceOf('sales');
    assert.match(metadata.name, /^hive-table-db\.sales-/);
    assert.deepEqual(spec.locality, { clusterNames: ['c1', 'c2'] });
    assert.equal(spec.size, '120Gi');
    assert.equal(spec.name, 'db.sales');
    const [request] = hive.asked;
    assert.equal(request?.method, 'POST');
    assert.equal(request.path, '/where');
    assert.deepEqual(request.body, {
      apiVersion: 'provisioning.perigee.io/v1',
      kind: 'DataRequest',
      claim: {
        apiVersion: 'datadependency.volcano.sh/v1alpha1',
        kind: 'DataSourceClaim',
        metadata: { namespace: 'default', name: 'sales' },
        spec: {
          system: 'hive',
          dataSourceType: 'table',
          dataSourceName: 'db.sales',
          attributes: { format: 'parquet' },
        },
      },
    });
    await addClaim('sales-too', { dataSourceName: 'db.sales', attributes: { format: 'parquet' } });
    assert.equal((await bound('sales-too')).to, metadata.name);
    assert.equal(asksOf('sales'), 1);
  });

  it('are not asked when a source of somebody’s matches, nor for systems without one', async () => {
    const locality = { clusterNames: ['c3'] };
    await plane.client.create(DataSource, {
      metadata: { name: 'by-hand' },
      spec: { system: 'hive', type: 'table', name: 'db.hand', locality } as never,
    });
    await addClaim('hand');
    assert.equal((await bound('hand')).to, 'by-hand');
    await addClaim('unknown-system', { system: 'nobody' });
    await plane.settled();
    assert.equal((await read('unknown-system')).why, undefined);
    assert.equal(hive.asked.length, 0);
  });

  it('keep a claim pending for data that does not exist yet, and are asked again (upstream, 10: never)', async () => {
    hive.answer(() => MISSING);
    await addClaim('later');
    const { phase, message } = await waiting('later', 'DataNotFound');
    assert.equal(phase, 'Pending');
    assert.equal(message, 'there is no hive table db.later yet: the job has not run');
    assert.equal(asksOf('later'), 1);
    hive.answer(() => ({ body: FOUND }));
    await plane.clock.advance(30_000);
    await bound('later');
    assert.equal((await waiting('later', 'DataFound')).phase, 'Bound');
  });

  it('are asked again when they are gone and back; each time later', async () => {
    hive.answer(() => ({ code: 503, body: 'proxy error' }));
    await addClaim('gone');
    const { message } = await waiting('gone', 'ProvisionerUnavailable');
    assert.equal(message, 'the provisioner answered with status 503');
    hive.answer(() => ({ body: FOUND }));
    await plane.clock.advance(5000);
    await bound('gone');
  });

  it('that are slow stall nobody else, and get no more than so many questions at once (upstream, 16: one worker for all)', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    hive.answer(async () => {
      await held;
      return { body: FOUND };
    });
    for (let at = 0; at < 6; at += 1) await addClaim(`slow-${at}`);
    await until(
      async () => hive.asked.length,
      (count) => count === 2,
    );
    await addClaim('quick', { system: 'other' });
    await bound('quick');
    assert.equal(hive.asked.length, 2);
    await waiting('slow-5', 'Asking');
    await plane.clock.advance(31_000);
    const { message } = await waiting('slow-0', 'ProvisionerUnavailable');
    assert.equal(message, 'the provisioner of hive gave no answer within 30 s');
    hive.answer(() => ({ body: FOUND }));
    release();
    for (let second = 0; second < 40; second += 1) {
      await plane.clock.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (let at = 0; at < 6; at += 1) await bound(`slow-${at}`);
    assert.ok(hive.mostAtOnce() <= 2);
  });

  const WRONG: readonly (readonly [string, object, RegExp])[] = [
    ['no JSON', { body: '<html>' }, /not a JSON object/],
    ['a redirect', { code: 302, headers: { location: 'http://127.0.0.1:1/' } }, /not followed/],
    ['a locality of another shape', { body: { locality: { clusterNames: 'c1' } } }, /clusterNames/],
    ['more than fits', { body: `"${'x'.repeat(17 * 1024 * 1024)}"` }, /answer is larger/],
    ['refused credentials', { code: 401 }, /the operator has to correct the credentials/],
  ];
  for (const [at, [what, answer, expected]] of WRONG.entries()) {
    it(`with an answer that is wrong, ${what}, say so in the claim`, async () => {
      hive.answer(() => answer);
      await addClaim(`wrong-${at}`);
      const { phase, message } = await until(
        () => read(`wrong-${at}`),
        ({ why }) => why === 'AnswerUnusable' || why === 'ProvisionerUnavailable',
      );
      assert.equal(phase, 'Pending');
      assert.match(message, expected);
      assert.doesNotMatch(message, /127\.0\.0\.1/);
      await plane.client.delete(DataSourceClaim, { namespace: 'default', name: `wrong-${at}` });
      hive.answer(() => ({ body: FOUND }));
      await plane.clock.advance(40_000);
    });
  }

  it('that give data which the claim does not want say why', async () => {
    hive.answer(() => ({ body: { ...FOUND, attributes: { format: 'orc' } } }));
    await addClaim('unfit', { attributes: { format: 'parquet' } });
    const { message } = await waiting('unfit', 'DataDoesNotFit');
    assert.match(message, /its format is orc, not parquet/);
  });

  it('that say much too much are cut short, and the claim is told all the same', async () => {
    hive.answer(() => ({ body: { ...FOUND, attributes: { format: 'x'.repeat(40_000) } } }));
    await addClaim('verbose', { attributes: { format: 'parquet' } });
    const { message } = await waiting('verbose', 'DataDoesNotFit');
    assert.ok(message.length <= 1000, `${message.length} characters`);
  });

  it('never touch what a person made (upstream, 15: a refresh deletes it)', async () => {
    await addClaim('taken');
    const made = await sourceOf('taken');
    await plane.client.patch(
      DataSource,
      { name: made.metadata.name },
      {
        type: 'merge',
        body: { metadata: { annotations: null }, spec: { reclaimPolicy: 'Retain' } },
      },
    );
    hive.answer(() => MISSING);
    hive.asked.length = 0;
    await plane.clock.advance(900_000);
    await plane.settled();
    const kept = await plane.client.get(DataSource, { name: made.metadata.name });
    assert.deepEqual(kept.spec.locality, made.spec.locality);
    assert.equal(asksOf('taken'), 0);
  });

  it('refresh what they made, and remove it when the data is gone', async () => {
    await addClaim('moving');
    const { metadata } = await sourceOf('moving');
    hive.answer(() => ({ body: { ...FOUND, locality: { clusterNames: ['c3'] } } }));
    await plane.clock.advance(300_000);
    const seen = () => plane.client.get(DataSource, { name: metadata.name });
    const moved = await until(seen, ({ spec }) => spec.locality.clusterNames?.[0] === 'c3');
    assert.equal(moved.spec.size, '120Gi');
    hive.answer(() => ({ code: 404, body: 'no route' }));
    await plane.clock.advance(330_000);
    const told = await until(
      seen,
      ({ status }) => findCondition(status?.conditions, 'Provisioned')?.reason === 'RefreshFailed',
    );
    assert.deepEqual(told.spec.locality, { clusterNames: ['c3'] });
    hive.answer(() => MISSING);
    await plane.clock.advance(120_000);
    const { to } = await until(
      () => read('moving'),
      ({ phase }) => phase === 'Pending',
    );
    assert.equal(to, undefined);
    await waiting('moving', 'DataNotFound');
  });

  it('remove what nobody claims any more', async () => {
    await addClaim('brief');
    const { metadata } = await sourceOf('brief');
    await plane.client.delete(DataSourceClaim, { namespace: 'default', name: 'brief' });
    await until(
      () => plane.client.list(DataSource),
      ({ items }) => !items.some((one) => one.metadata.name === metadata.name),
    );
  });

  it('log in with what a Secret says, and only there', async () => {
    const auth = { type: 'basic', secretRef: { name: 'login' } };
    await configure({ locked: { endpoint: { url: hive.url, auth } } });
    await addClaim('locked', { system: 'locked' });
    const { message } = await waiting('locked', 'ProvisionerMisconfigured');
    assert.match(message, /correct locked in the ConfigMap .*: there is no Secret login$/);
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    await plane.client.create(Secret, {
      metadata: { namespace: PLUGINS.namespace, name: 'login' },
      data: { username: encoded('me'), password: encoded('hunter2\n') },
    });
    await bound('locked');
    const { headers } = hive.asked.at(-1) ?? assert.fail();
    assert.equal(headers.authorization, `Basic ${encoded('me:hunter2')}`);
  });

  it('that are configured wrongly are named in an event, and the others work', async () => {
    await configure({ bad: { system: 'bad', endpoint: {} }, worse: '{ "password": "hunter2"' });
    await addClaim('bad', { system: 'bad' });
    await waiting('bad', 'ProvisionerMisconfigured');
    const events = await until(
      async () =>
        (await plane.client.list(Event, { namespace: PLUGINS.namespace })).items
          .filter(({ reason }) => reason === 'ProvisionerInvalid')
          .map(({ message = '' }) => message),
      (messages) => messages.some((message) => message.startsWith('worse')),
    );
    assert.ok(events.includes('bad: endpoint.url is missing'));
    assert.ok(events.every((message) => !message.includes('hunter2')));
    await addClaim('still');
    await bound('still');
    await configure({ bad: { endpoint: { url: hive.url } }, worse: null });
    await bound('bad');
  });

  it('whose Secret has not been read yet are not said to lack it', async () => {
    const auth = { type: 'basic', secretRef: { name: 'login' } };
    await configure({ late: { endpoint: { url: hive.url, auth } } });
    await using fresh = new Provisioners({ client: plane.client, clock: plane.clock });
    const told: string[] = [];
    using _ = fresh.onChange(() => told.push(...fresh.problems.values()));
    await until(
      async () => fresh.of('late')?.provisioner !== undefined,
      (isOpen) => isOpen,
    );
    assert.deepEqual(told, []);
  });

  it('are asked for the claims of one tenant and another in turn, however many the one has', async () => {
    await plane.client.create(Namespace, { metadata: { name: 'flood' } });
    hive.answer(() => MISSING);
    await configure({ hive: { endpoint: { url: hive.url }, concurrency: 1 } });
    const names = Array.from({ length: 150 }, (_, at) => `flood-${at}`);
    await Promise.all(names.map((name) => addClaim(name, {}, 'flood')));
    await until(
      async () => hive.asked.length,
      (count) => count > 60,
    );
    const before = hive.asked.length;
    await addClaim('small');
    await waiting('small', 'DataNotFound');
    const asked = hive.asked.slice(before).map(({ body }) => JSON.stringify(body));
    const turn = asked.findIndex((text) => text.includes('db.small'));
    assert.ok(turn >= 0 && turn < 20, `its turn came after ${turn} others`);
    for (const name of names) {
      await plane.client.delete(DataSourceClaim, { namespace: 'flood', name });
    }
    await configure();
  });

  it('that are taken away are not said to have found the data', async () => {
    hive.answer(() => MISSING);
    await configure({ brief: { endpoint: { url: hive.url } } });
    await addClaim('brief', { system: 'brief' });
    await waiting('brief', 'DataNotFound');
    await configure({ brief: null });
    const { message } = await waiting('brief', 'ProvisionerMisconfigured');
    assert.equal(message, 'there is no provisioner of brief any more');
  });

  it('of Amoro say where an Iceberg table is, by the longest prefix of its location', async () => {
    await using amoro = await startProvisionerServer(({ path }) =>
      path === '/api/iceberg/rest/v1/catalogs/dc1/namespaces/db%201/tables/orders'
        ? { body: { metadata: { location: 's3://wh-dc1/prod/orders' } } }
        : { code: 404, body: { error: { type: 'NoSuchTableException', code: 404 } } },
    );
    const locationMapping = { 's3://wh-dc1/': ['c1', 'c2'], 's3://wh-dc1/prod/': ['c3'] };
    const url = 'http://127.0.0.1';
    const auth = { type: 'apikey', token: 'k' };
    await configure({ amoro: { endpoint: { url, port: amoro.port, auth }, locationMapping } });
    await addClaim('orders', { system: 'amoro', dataSourceName: 'dc1.db 1.orders' });
    const { spec } = await sourceOf('orders');
    assert.deepEqual(spec.locality, { clusterNames: ['c3'] });
    assert.equal(amoro.asked[0]?.headers['x-api-key'], 'k');
    await addClaim('no-table', { system: 'amoro', dataSourceName: 'dc1.db.none' });
    await waiting('no-table', 'DataNotFound');
    await addClaim('two-parts', { system: 'amoro', dataSourceName: 'db.none' });
    assert.match(
      (await waiting('two-parts', 'AnswerUnusable')).message,
      /catalog\.database\.table/,
    );
    await addClaim('half-a-character', { system: 'amoro', dataSourceName: 'dc1.db.\ud800' });
    await waiting('half-a-character', 'AnswerUnusable');
    await configure({ amoro: null });
  });
});
