import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger, type Logger, type LoggerOptions } from '@perigee/kube/observe/logger';

const setUp = (options: Partial<LoggerOptions> = {}) => {
  const lines: string[] = [];
  const clock = new VirtualClock();
  const logger = createLogger({ clock, write: (line) => lines.push(line), ...options });
  return { clock, logger, lines };
};

const recordOf = (say: (logger: Logger) => void): Record<string, unknown> => {
  const { logger, lines } = setUp();
  say(logger);
  assert.equal(lines.length, 1);
  return JSON.parse(lines[0] ?? '');
};

test('a line is one JSON object with the time of the clock', async () => {
  const { clock, logger, lines } = setUp();
  await clock.advance(1_500.25);
  logger.info('cluster joined', { cluster: 'member1', nodes: 3, labels: { zone: 'a' } });
  assert.deepEqual(lines, [
    '{"time":"2026-01-01T00:00:01.500250Z","level":"info","message":"cluster joined","cluster":"member1","nodes":3,"labels":{"zone":"a"}}\n',
  ]);
});

test('only the wanted levels come out', () => {
  const { logger, lines } = setUp({ level: 'warn' });
  logger.debug('one');
  logger.info('two');
  logger.warn('three');
  logger.error('four');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).message),
    ['three', 'four'],
  );
  assert.equal(logger.isEnabled('info'), false);
  assert.equal(logger.isEnabled('warn'), true);
});

test('a child adds its fields to those of its parent', () => {
  const { logger, lines } = setUp();
  const child = logger
    .with({ controller: 'binding' })
    .with({ key: 'default/a', controller: 'work' });
  child.info('done', { key: 'default/b' });
  const { time, ...rest } = JSON.parse(lines[0] ?? '');
  assert.deepEqual(rest, { level: 'info', message: 'done', controller: 'work', key: 'default/b' });
});

test('a field cannot pass for time, level or message', () => {
  const record = recordOf((logger) => logger.info('real', { message: 'false', level: 'error' }));
  assert.equal(record.message, 'real');
  assert.equal(record.level, 'info');
  assert.equal(record._message, 'false');
  assert.equal(record._level, 'error');
});

test('an error is told with its own fields and its chain of causes', () => {
  const root = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
  const error = new TypeError('cannot list pods', {
    cause: new Error('request failed', { cause: root }),
  });
  const record = recordOf((logger) => logger.error('sync failed', { error }));
  const { stack, cause, ...told } = record.error as Record<string, unknown>;
  assert.deepEqual(told, { name: 'TypeError', message: 'cannot list pods' });
  assert.match(String(stack), /^ {4}at .*logger\.test\.ts/);
  const middle = cause as Record<string, unknown>;
  assert.equal(middle.message, 'request failed');
  const last = middle.cause as Record<string, unknown>;
  assert.equal(last.message, 'connection refused');
  assert.equal(last.code, 'ECONNREFUSED');
});

test('an error of many tells each of them', () => {
  const error = new AggregateError([new Error('a'), new Error('b')], 'both failed');
  const record = recordOf((logger) => logger.error('failed', { error }));
  const { errors } = record.error as { errors: { message: string }[] };
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['a', 'b'],
  );
});

describe('secrets', () => {
  const secret = 'hunter2';
  const cases: { readonly [name: string]: unknown } = {
    token: secret,
    bearerToken: secret,
    'id-token': secret,
    access_token: secret,
    password: secret,
    Authorization: secret,
    'client-key-data': secret,
    'certificate-authority-data': secret,
    clientKeyData: secret,
    clientSecret: secret,
    privateKey: secret,
    'Set-Cookie': secret,
    nested: { users: [{ user: { token: secret } }] },
    map: new Map([['password', secret]]),
    object: { kind: 'Secret', metadata: { name: 'a' }, data: { anything: secret } },
    plain: { kind: 'Secret', stringData: { anything: secret } },
    header: `authorization was Bearer ${secret}`,
    url: `https://user:${secret}@example.com/path`,
    error: new Error(`refused: Bearer ${secret}`, { cause: { token: secret } }),
  };
  for (const [name, value] of Object.entries(cases)) {
    test(`are left out of ${name}`, () => {
      const json = setUp();
      json.logger.with({ [name]: value }).info('said', { [name]: value });
      const text = setUp({ format: 'text' });
      text.logger.with({ [name]: value }).info('said', { [name]: value });
      for (const line of [...json.lines, ...text.lines]) {
        assert.doesNotMatch(line, /hunter2/);
        assert.match(line, /\[redacted\]/);
      }
    });
  }

  test('are left out of messages', () => {
    const { message } = recordOf((logger) => logger.info(`sent Bearer ${secret} along`));
    assert.equal(message, 'sent Bearer [redacted] along');
  });

  test('do not hide their neighbours', () => {
    const record = recordOf((logger) =>
      logger.info('said', { user: 'ada', hasToken: true, metadata: { name: 'a' }, tokens: 3 }),
    );
    assert.equal(record.user, 'ada');
    assert.equal(record.hasToken, true);
    assert.deepEqual(record.metadata, { name: 'a' });
    assert.equal(record.tokens, 3);
  });
});

test('anything can be said', () => {
  const circular: Record<string, unknown> = { name: 'a' };
  circular.self = circular;
  const deep = Array.from({ length: 30 }).reduce<unknown>((inner) => ({ inner }), 'bottom');
  const record = recordOf((logger) =>
    logger.info('odd', {
      circular,
      deep,
      big: 2n ** 64n,
      nan: Number.NaN,
      nothing: undefined,
      run: () => {},
      set: new Set([1, 2]),
      since: new Date(0),
      never: new Date(Number.NaN),
      url: new URL('https://me:hidden@example.com/'),
      bytes: Buffer.from('hidden'),
      list: [undefined, null, 'x'],
    }),
  );
  assert.deepEqual(record.circular, { name: 'a', self: '[circular]' });
  assert.match(JSON.stringify(record.deep), /\[deep\]/);
  assert.equal(record.big, '18446744073709551616');
  assert.equal(record.nan, 'NaN');
  assert.equal('nothing' in record, false);
  assert.equal('run' in record, false);
  assert.deepEqual(record.set, [1, 2]);
  assert.equal(record.since, '1970-01-01T00:00:00.000Z');
  assert.equal(record.never, 'null');
  assert.equal(record.url, 'https://[redacted]@example.com/');
  assert.equal(record.bytes, '[6 bytes]');
  assert.deepEqual(record.list, [null, null, 'x']);
});

test('text is for people: fields in line, errors below', () => {
  const { logger, lines } = setUp({ format: 'text' });
  logger.warn('no leader\nyet', { cluster: 'member1', note: 'two words', count: 2 });
  assert.deepEqual(lines, [
    '2026-01-01T00:00:00.000000Z WARN  no leader\n    yet cluster=member1 note="two words" count=2\n',
  ]);
  logger.error('failed', { error: new Error('outer', { cause: new Error('inner\u001b[2J') }) });
  assert.match(
    lines[1] ?? '',
    /^2026-01-01T00:00:00.000000Z ERROR failed\n {2}Error: outer\n( {4}at .*\n)+ {2}caused by Error: inner\[2J\n( {4}at .*\n)+$/,
  );
});
