import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import { renderRun } from '../../src/flows/render-run.ts';
import type { RenderedRun, RunParts } from '../../src/flows/run-parts.ts';
import { operation } from './operations.ts';

const secret = (name: string, key?: string) => ({
  valueFrom: { secretKeyRef: { name, ...(key && { key }) } },
});
const keys = [
  { name: 'access-key', ...secret('creds', 'id') },
  { name: 'secret-key', ...secret('creds', 'key') },
];

const render = (kind: string, spec: object, dataset: object = {}): RenderedRun =>
  renderRun(operation(kind, { spec }), 'run', {
    findDataset: (name) =>
      ({ metadata: { namespace: 'default', name }, spec: {}, ...dataset }) as unknown as Dataset,
    mover: { image: 'mover:1', hostPaths: [] },
  });

const migrate = (externalStorage: object): RenderedRun =>
  render('DataMigrate', { from: { externalStorage }, to: { dataset: { name: 'raw' } } });

/** The source of the only order of a run. */
const sourceOf = (rendered: RenderedRun): JsonObject => {
  assert.equal(rendered.kind, 'run', JSON.stringify(rendered));
  const [text = ''] = Object.values((rendered as RunParts).files);
  return JSON.parse(text).from;
};

const FILES = {
  accessKeyFile: '/mover/secrets/0/id',
  secretKeyFile: '/mover/secrets/0/key',
};

suite('storage that is reached over a network', () => {
  const endpoint = 'https://minio.example:9000';
  const s3 = { kind: 's3', bucket: 'data' };
  for (const [what, storage, expected] of [
    ['a public bucket', { uri: 's3://data/a/b' }, { ...s3, path: 'a/b' }],
    [
      'with keys and a region',
      { uri: 's3://data/a/', options: { region: 'eu-west-1' }, encryptOptions: keys },
      { ...s3, region: 'eu-west-1', path: 'a/', credentials: FILES },
    ],
    [
      'in the words of Alluxio',
      {
        uri: 's3://data/a',
        options: {
          'alluxio.underfs.s3.endpoint': endpoint,
          'alluxio.underfs.s3.disable.dns.buckets': 'true',
        },
        encryptOptions: [
          { name: 'aws.accessKeyId', ...secret('creds', 'id') },
          { name: 'aws.secretKey', ...secret('creds', 'key') },
        ],
      },
      { ...s3, endpoint, pathStyle: true, path: 'a', credentials: FILES },
    ],
    [
      'minio, as JuiceFS writes it',
      { uri: 'minio://10.0.0.1:9000/data/a', encryptOptions: keys },
      { ...s3, endpoint: 'http://10.0.0.1:9000', pathStyle: true, path: 'a', credentials: FILES },
    ],
    [
      'http with keys is a store like S3',
      { uri: 'http://minio/data/a', encryptOptions: keys },
      { ...s3, endpoint: 'http://minio', pathStyle: true, path: 'a', credentials: FILES },
    ],
    [
      'oss, whose address has no scheme',
      { uri: 'oss://data/a', options: { 'fs.oss.endpoint': 'oss-cn-x.aliyuncs.com' } },
      { ...s3, endpoint: 'https://oss-cn-x.aliyuncs.com', pathStyle: false, path: 'a' },
    ],
    [
      'an index page',
      { uri: 'https://mirror.example/spark/' },
      { kind: 'http', url: 'https://mirror.example/spark/' },
    ],
    [
      'hdfs',
      { uri: 'hdfs://namenode:8020/logs', options: { username: 'hive' } },
      {
        kind: 'rclone',
        backend: 'hdfs',
        path: 'logs',
        options: { namenode: 'namenode:8020', username: 'hive' },
        secretOptions: {},
      },
    ],
    [
      'a bucket of Google without credentials, and without those of the machine',
      { uri: 'gs://bucket/in', options: { anonymous: 'false' } },
      {
        kind: 'rclone',
        backend: 'google cloud storage',
        path: 'bucket/in',
        options: { anonymous: 'true' },
        secretOptions: {},
      },
    ],
    [
      'a bucket of Google with a Secret that holds no credentials, and one that asks for those of the machine',
      {
        uri: 'gs://bucket/in',
        encryptOptions: [
          { name: 'project_number', ...secret('own') },
          { name: 'anonymous', ...secret('own') },
          { name: 'token' },
        ],
      },
      {
        kind: 'rclone',
        backend: 'google cloud storage',
        path: 'bucket/in',
        options: { anonymous: 'true' },
        secretOptions: { project_number: '/mover/secrets/0/project_number' },
      },
    ],
    [
      'a bucket of Google with credentials',
      {
        uri: 'gs://bucket/in',
        encryptOptions: [{ name: 'service_account_credentials', ...secret('own') }],
      },
      {
        kind: 'rclone',
        backend: 'google cloud storage',
        path: 'bucket/in',
        options: {},
        secretOptions: {
          service_account_credentials: '/mover/secrets/0/service_account_credentials',
        },
      },
    ],
    [
      'a backend of rclone with a password',
      {
        uri: 'sftp://files:2222/in',
        options: { user: 'me' },
        encryptOptions: [{ name: 'pass', ...secret('login') }],
      },
      {
        kind: 'rclone',
        backend: 'sftp',
        path: 'in',
        options: { host: 'files', port: '2222', user: 'me' },
        secretOptions: { pass: '/mover/secrets/0/pass' },
      },
    ],
  ] as const) {
    test(what, () => {
      assert.deepEqual(sourceOf(migrate(storage)), expected);
    });
  }

  for (const [what, storage, says] of [
    [
      'a secret that all can read',
      { uri: 's3://data', options: { 'secret-key': 'x' } },
      /secret-key is secret: put it into a Secret/,
    ],
    ['half of the keys', { uri: 's3://data', encryptOptions: keys.slice(1) }, /belong together/],
    ['no bucket', { uri: 's3://Data_/x' }, /"Data_" is no name of a bucket/],
    ['credentials in a URL', { uri: 'https://me:pw@host/x' }, /must not hold credentials/],
    [
      'credentials in an endpoint',
      { uri: 's3://data', options: { endpoint: 'http://a:b@c' } },
      /without credentials/,
    ],
    ['a path that climbs', { uri: 's3://data/../x' }, /climbs out/],
    [
      'a key that is a path',
      { uri: 's3://data', encryptOptions: [{ name: 'access-key', ...secret('s', '../x') }] },
      /cannot be a key/,
    ],
    [
      'files of the machine by rclone',
      { uri: 'rclone://local/etc' },
      /there is no local; rclone may use/,
    ],
    [
      'a program by rclone',
      { uri: 'sftp://h/x', options: { ssh: 'sh -c id' } },
      /option ssh is not allowed/,
    ],
    [
      'rights of the machine by rclone',
      { uri: 'gs://b/x', options: { env_auth: 'true' } },
      /env_auth is not allowed/,
    ],
    [
      'a signature that all can read',
      { uri: 'azureblob://b/x', options: { sas_url: 'https://a.example/b?sig=x' } },
      /option sas_url belongs into a Secret/,
    ],
    [
      'a key that all can read, in the text of a connection',
      { uri: 'azureblob://b/x', options: { connection_string: 'AccountKey=x' } },
      /option connection_string belongs into a Secret/,
    ],
    [
      'a header that all can read',
      { uri: 'webdav://h/x', options: { headers: 'Authorization,Basic eA==' } },
      /option headers belongs into a Secret/,
    ],
    [
      'a scheme by a name that every object has',
      { uri: 'constructor://b/x' },
      /^constructor:\/\/b\/x: there are /,
    ],
    [
      'another backend by an option',
      { uri: 'sftp://h//etc', options: { type: 'local' } },
      /option type is not allowed/,
    ],
    [
      'another backend by a Secret',
      { uri: 'sftp://h//etc', encryptOptions: [{ name: 'type', ...secret('s') }] },
      /option type is not allowed/,
    ],
    [
      'a password that all can read',
      { uri: 'sftp://h/x', options: { pass: 'x' } },
      /option pass belongs into a Secret/,
    ],
    [
      'a token that all can hear',
      { uri: 'http://h/x', encryptOptions: [{ name: 'token', ...secret('s') }] },
      /a token is sent over https only/,
    ],
    ['oss nowhere', { uri: 'oss://b-c/x' }, /needs the option endpoint/],
  ] as const) {
    test(`refused: ${what}`, () => {
      const rendered = migrate(storage);
      assert.equal(rendered.kind, 'refused');
      assert.match((rendered as { message: string }).message, says);
      assert.doesNotMatch((rendered as { message: string }).message, /pw@/);
    });
  }

  test('credentials are mounted as files of the Secret, with the keys that are needed', () => {
    const rendered = migrate({ uri: 's3://data/a', encryptOptions: keys }) as RunParts;
    const { volumes, containers = [] } = rendered.podSpec as { [field: string]: JsonObject[] };
    const [container = {}] = containers;
    assert.deepEqual(volumes?.at(-1), {
      name: 'secret-0',
      secret: {
        secretName: 'creds',
        defaultMode: 0o440,
        items: [
          { key: 'id', path: 'id' },
          { key: 'key', path: 'key' },
        ],
      },
    });
    const mount = { name: 'secret-0', mountPath: '/mover/secrets/0', readOnly: true };
    assert.deepEqual((container.volumeMounts as JsonObject[]).at(-1), mount);
    assert.equal('env' in container, false, 'nothing in the environment');
  });

  test('a folder of a file server is a volume', () => {
    const rendered = migrate({ uri: 'nfs://filer/export/a' }) as RunParts;
    assert.deepEqual((rendered.podSpec.volumes as JsonObject[])[1], {
      name: 'data-0',
      nfs: { server: 'filer', path: '/export/a', readOnly: true },
    });
  });

  test('mounts of several origins, with what they share', () => {
    const spec = {
      mounts: [
        { mountPoint: 's3://one/x', name: 'one' },
        { mountPoint: 's3://two', name: 'two', options: { region: 'b' } },
        { mountPoint: 'https://web.example/y/', name: 'web' },
      ],
      sharedOptions: { region: 'a' },
      sharedEncryptOptions: keys,
    };
    const { files } = render('DataLoad', { dataset: { name: 'raw' } }, { spec }) as RunParts;
    const from = Object.values(files).map((text) => JSON.parse(text).from);
    assert.deepEqual(
      from.pop(),
      { kind: 'http', url: 'https://web.example/y/' },
      'no keys of others',
    );
    const measuredSpeed = from.map(({ bucket, region, credentials }) => [
      bucket,
      region,
      credentials,
    ]);
    assert.deepEqual(measuredSpeed, [
      ['one', 'a', FILES],
      ['two', 'b', FILES],
    ]);
  });
});

suite('backups', () => {
  const access = { options: { endpoint: 'https://s3.example' }, encryptOptions: keys };

  test('to a bucket: the data, and a manifest with what is known of the dataset', () => {
    const spec = { dataset: 'raw', backupPath: 's3://saved/daily', ...access };
    const mounts = [{ mountPoint: 'pvc://nas' }];
    const { files } = render('DataBackup', spec, { spec: { mounts } }) as RunParts;
    const { from, to, mode, manifest } = JSON.parse(Object.values(files)[0] ?? '');
    assert.deepEqual([from.kind, to.path, mode], ['local', 'daily/default/raw/data', 'sync']);
    assert.equal(manifest.place.path, 'daily/default/raw/manifest.json');
    assert.deepEqual(manifest.about, { namespace: 'default', dataset: 'raw', spec: { mounts } });
  });

  const load = (location: object, status: object = {}) => {
    const spec = { dataRestoreLocation: location, mounts: [{ mountPoint: 'pvc://nas' }] };
    const rendered = render('DataLoad', { dataset: { name: 'raw' } }, { spec, status });
    assert.equal(rendered.kind, 'run', JSON.stringify(rendered));
    return JSON.parse(Object.values((rendered as RunParts).files)[0] ?? '');
  };

  test('a dataset without a copy starts from its backup, verified by the manifest', () => {
    const { from, to, verifiedBy } = load({ path: 's3://saved/daily', ...access });
    assert.deepEqual([from.path, to.path], ['daily/default/raw/data', '']);
    assert.equal(verifiedBy.path, 'daily/default/raw/manifest.json');
    const other = load({ path: 'pvc://saved/daily', dataset: 'shop/sales' });
    assert.equal(other.from.path, 'daily/shop/sales/data');
    const later = load({ path: 'pvc://saved' }, { clusters: [{ name: 'm1', state: 'Complete' }] });
    assert.deepEqual([later.from.path, later.verifiedBy], ['', undefined], 'then from its mounts');
  });
});
