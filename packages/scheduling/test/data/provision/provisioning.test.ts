import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DataQuestion, questionOf } from '@perigee/scheduling/data/provision/data-question';
import {
  askedFor,
  madeName,
  madeSource,
  PROVISIONED_FOR,
} from '@perigee/scheduling/data/provision/made-source';
import { readProvisioners } from '@perigee/scheduling/data/provision/provisioner-config';
import { readAnswer } from '@perigee/scheduling/data/provision/read-answer';
import { retryDelayMs } from '@perigee/scheduling/data/provision/retry-delay';
import { checkDnsSubdomain } from '@perigee/schema/values/names';
import { mapLocation } from '../../../src/data/provision/map-location.ts';

const question = (dataSourceName: string, more: Partial<DataQuestion> = {}): DataQuestion => ({
  system: 'amoro',
  dataSourceType: 'table',
  dataSourceName,
  ...more,
});

describe('the names of made objects', () => {
  const names = [
    'dc1.db1.orders',
    'x.y.training_dataset',
    '/data/logs',
    'UPPER.Case',
    '...',
    '-.-',
    'ü→漢',
    '.a.',
    'a'.repeat(1024),
    `${'a.'.repeat(300)}b`,
    `${'-'.repeat(230)}.x`,
    'a b\nc',
    'İ'.repeat(300),
  ];
  it('are valid whatever the data is called', () => {
    for (const name of names) {
      assert.deepEqual(checkDnsSubdomain(madeName(question(name))), [], name);
      const odd = question(name, { system: name.slice(0, 200), dataSourceType: '_' });
      assert.deepEqual(checkDnsSubdomain(madeName(odd)), [], name);
    }
  });
  it('can be read', () => {
    assert.match(
      madeName(question('dc1.db1.orders')),
      /^amoro-table-dc1\.db1\.orders-[0-9a-f]{16}$/,
    );
  });
  it('are the same for the same question, in whatever order its attributes are written', () => {
    const one = question('t', { attributes: { format: 'iceberg', region: 'us' } });
    const same = question('t', { attributes: { region: 'us', format: 'iceberg' } });
    assert.equal(madeName(one), madeName(same));
  });
  it('never collide where upstream (13) joins parts to the same text', () => {
    const made = [
      question('b-c', { system: 'a' }),
      question('c', { system: 'a', dataSourceType: 'table-b' }),
      question('c', { system: 'a-table', dataSourceType: 'b' }),
      question('t', { attributes: { a: 'b,c=d' } }),
      question('t', { attributes: { a: 'b', c: 'd' } }),
      question('t'),
      question('T'),
      question('data-logs'),
      ...names.map((name) => question(name)),
    ].map(madeName);
    assert.equal(new Set(made).size, made.length);
  });
  it('take no attributes and empty ones for the same question', () => {
    const spec = { system: 's', dataSourceType: 't', dataSourceName: 'n', workloadSelector: {} };
    const empty = { ...spec, attributes: {} };
    assert.equal(madeName(questionOf({ spec })), madeName(questionOf({ spec: empty })));
  });
});

describe('whose a source is', () => {
  const locality = { clusterNames: ['m1'] };
  const made = madeSource(question('db.t'), { locality });
  assert.ok('source' in made);
  it('is a provisioner’s while it has the mark and the name that follows from it', () => {
    assert.deepEqual(askedFor(made.source), question('db.t'));
    assert.equal(made.source.spec.reclaimPolicy, 'Delete');
  });
  it('is a person’s without the mark, as a copy under another name, and with a mark that says nothing', () => {
    const { metadata } = made.source;
    assert.equal(askedFor({ metadata: { ...metadata, annotations: {} } }), undefined);
    assert.equal(askedFor({ metadata: { ...metadata, name: 'my-copy' } }), undefined);
    for (const text of ['', '{', 'null', '{"system":1}']) {
      const annotations = { [PROVISIONED_FOR]: text };
      assert.equal(askedFor({ metadata: { ...metadata, annotations } }), undefined);
    }
  });
  it('confirms the attributes of the claim where the provisioner says nothing of them', () => {
    const asked = question('t', { attributes: { format: 'iceberg' } });
    const silent = madeSource(asked, { locality });
    assert.ok('source' in silent);
    assert.deepEqual(silent.source.spec.attributes, { format: 'iceberg' });
    const told = madeSource(asked, { locality, attributes: { format: 'orc' } });
    assert.ok('source' in told);
    assert.deepEqual(told.source.spec.attributes, { format: 'orc' });
  });
  it('refuses what no DataSource may say', () => {
    const bad = madeSource(question('t'), { locality: { clusterNames: ['m1', ''] } });
    assert.match('problem' in bad ? bad.problem : '', /spec\.locality\.clusterNames/);
    const size = madeSource(question('t'), { locality, size: 'huge' });
    assert.match('problem' in size ? size.problem : '', /spec\.size/);
  });
});

describe('where a location is', () => {
  const mapping = {
    's3://wh/': ['default'],
    's3://wh/prod/': ['p1', 'p2'],
    's3://wh/prod/db1/': ['db1'],
    'hdfs://x/none': [],
  };
  it('is said by the longest prefix', () => {
    assert.deepEqual(mapLocation('s3://wh/prod/db1/table1', mapping), ['db1']);
    assert.deepEqual(mapLocation('s3://wh/prod/db2/t', mapping), ['p1', 'p2']);
    assert.deepEqual(mapLocation('s3://wh/test/t', mapping), ['default']);
    assert.deepEqual(mapLocation('s3://wh/prod/', mapping), ['p1', 'p2']);
    assert.equal(mapLocation('s3://elsewhere/t', mapping), undefined);
    assert.equal(mapLocation('s3://wh/t', {}), undefined);
  });
});

describe('the answer of a provisioner', () => {
  const mapping = { 's3://dc1/': ['m1', 'm2'] };
  const read = (answer: unknown, asked = question('db.t')) => readAnswer(answer, asked, mapping);
  it('says where the data is, by clusters or by a location', () => {
    const locality = { clusterAffinity: { labelSelector: { matchLabels: { dc: '1' } } } };
    const attributes = { format: 'parquet' };
    assert.deepEqual(read({ found: true, locality, attributes, size: '120Gi' }), {
      kind: 'found',
      data: { locality, attributes, size: '120Gi' },
    });
    assert.deepEqual(read({ location: 's3://dc1/db/t' }), {
      kind: 'found',
      data: { locality: { clusterNames: ['m1', 'm2'] } },
    });
  });
  it('says that there is no such data, or that it is nowhere', () => {
    const missing = { kind: 'missing', message: 'not written yet', isCertain: true };
    assert.deepEqual(read({ found: false, message: 'not\nwritten  yet' }), missing);
    const nowhere = read({ found: true, locality: { clusterNames: [] } });
    assert.equal(nowhere.kind, 'nowhere');
  });
  it('may write null for what it leaves out, as Go does for an empty list', () => {
    assert.equal(read({ found: true, locality: { clusterNames: null } }).kind, 'nowhere');
    const locality = { clusterNames: ['m1'], clusterAffinity: null };
    assert.deepEqual(read({ found: true, locality, attributes: null, name: null, size: null }), {
      kind: 'found',
      data: { locality: { clusterNames: ['m1'] } },
    });
  });
  for (const [name, answer, expected] of [
    ['a list', [], /JSON object/],
    ['nothing', undefined, /JSON object/],
    ['no place', { found: true }, /neither locality nor location/],
    ['a place nobody mapped', { location: 's3://dc9/t' }, /s3:\/\/dc9\/t, which no prefix/],
    ['a locality that is text', { locality: 'm1' }, /locality must be an object/],
    ['other data', { name: 'db.other', location: 's3://dc1/t' }, /about db\.other/],
    [
      'attributes that are no texts',
      { attributes: { a: 1 }, location: 's3://dc1/t' },
      /attributes/,
    ],
    ['a size that is none', { size: {}, location: 's3://dc1/t' }, /size/],
  ] as const) {
    it(`cannot be used with ${name}`, () => {
      const result = read(answer);
      assert.equal(result.kind, 'unusable');
      assert.match('message' in result ? result.message : '', expected);
    });
  }
  it('names the data when the claim leaves it open', () => {
    const { dataSourceName: _, ...open } = question('x');
    assert.equal(read({ location: 's3://dc1/t' }, open).kind, 'unusable');
    assert.equal(read({ name: 'db.t', location: 's3://dc1/t' }, open).kind, 'found');
  });
});

describe('the settings', () => {
  const endpoint = { url: 'http://amoro.example', port: 1630 };
  const text = (entry: object) => JSON.stringify(entry);
  it('are read as upstream writes them', () => {
    const { bySystem, problems } = readProvisioners({
      amoro: text({
        system: 'amoro',
        endpoint,
        locationMapping: { 's3://dc1/': ['cluster1', 'cluster2'] },
        retryConfig: {
          maxRetries: 5,
          initialBackoff: '2s',
          maxBackoff: '1m',
          backoffMultiplier: 3,
          timeout: '10s',
        },
      }),
      hive: text({ endpoint: { url: 'https://hive.example/provision' } }),
    });
    assert.equal(problems.size, 0);
    const amoro = bySystem.get('amoro');
    assert.equal(amoro?.url, 'http://amoro.example:1630');
    assert.equal(amoro.plugin, 'amoro');
    assert.deepEqual(amoro.retry, {
      maxRetries: 5,
      initialBackoffMs: 2000,
      maxBackoffMs: 60_000,
      backoffMultiplier: 3,
      timeoutMs: 10_000,
    });
    const hive = bySystem.get('hive');
    assert.equal(hive?.plugin, 'webhook');
    assert.equal(hive.url, 'https://hive.example/provision');
    assert.equal(hive.retry.maxRetries, 3);
    assert.equal(hive.retry.timeoutMs, 30_000);
  });
  it('name the entry that is wrong, never its text, and keep the others', () => {
    const { bySystem, problems, wrongSystems } = readProvisioners({
      good: text({ endpoint }),
      broken: '{ "endpoint": { "auth": { "password": "hunter2" ',
      nowhere: text({ system: 'hdfs' }),
      twice: text({ system: 'good', endpoint }),
      files: text({ endpoint: { ...endpoint, tls: { caFile: '/etc/ca.pem' } } }),
      naked: text({ endpoint: { url: 'http://me:hunter2@host' } }),
      odd: text({ endpoint: { ...endpoint, auth: { type: 'kerberos' } } }),
      slow: text({ endpoint, retryConfig: { timeout: 'soon' } }),
      none: text({ endpoint: { ...endpoint, auth: { type: 'bearer' } } }),
      header: text({
        endpoint: {
          ...endpoint,
          auth: { type: 'apikey', token: 't', extra: { header: 'a\r\nb' } },
        },
      }),
    });
    assert.deepEqual([...bySystem.keys()], ['good']);
    assert.deepEqual(Object.fromEntries(problems), {
      broken: 'it is not a JSON object',
      nowhere: 'endpoint.url is missing',
      twice: 'the system good has a provisioner already, in good',
      files:
        'endpoint.tls.caFile names a file, and files are not read: put it into a Secret, and name that in endpoint.tls.secretRef.name',
      naked: 'endpoint.url holds a user name or password: put them into a Secret',
      odd: 'endpoint.auth.type must be none, basic, bearer or apikey',
      slow: 'retryConfig.timeout must be a duration, such as 30s, not "soon"',
      none: 'endpoint.auth has no credentials: name a Secret in endpoint.auth.secretRef.name',
      header: 'endpoint.auth.extra.header is no name of a header',
    });
    assert.equal(wrongSystems.get('hdfs'), 'nowhere');
  });
});

describe('the next question', () => {
  const retry = {
    maxRetries: 3,
    initialBackoffMs: 1000,
    maxBackoffMs: 3000,
    backoffMultiplier: 2,
    timeoutMs: 1,
  };
  it('is put later after each failure, and then in the long interval', () => {
    const delays = [1, 2, 3, 4, 5].map((failures) =>
      retryDelayMs(retry, failures, 60_000, () => 0),
    );
    assert.deepEqual(delays, [1000, 2000, 3000, 60_000, 60_000]);
    assert.equal(
      retryDelayMs(retry, 1, 60_000, () => 1),
      1200,
    );
  });
});
