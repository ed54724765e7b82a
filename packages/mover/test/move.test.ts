import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MoverClock } from '../src/clock.ts';
import { moveErrorOf } from '../src/errors.ts';
import { Counters } from '../src/jobs/counters.ts';
import { Transfer } from '../src/jobs/transfer.ts';
import { move } from '../src/move.ts';
import { processClock } from '../src/process-clock.ts';
import { failureOf, orderOf, runOrder } from './support/run.ts';
import { age, contents, look, plant, scratch } from './support/trees.ts';

const PIECE = 8 * 2 ** 20;

/** Bytes that differ from place to place. */
const noise = (length: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at + 4 <= length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes.writeInt32LE(state, at);
  }
  return bytes;
};

test('a copy has the bytes, names, rights, times, links and empty folders of its source', async () => {
  using root = scratch();
  const from = join(root.path, 'from');
  plant(from, {
    'a.txt': 'hello',
    'empty/': undefined,
    'deep/er/b.bin': noise(70_000),
    'deep/link': '-> er/b.bin',
    'deep/up': '-> ../a.txt',
    dangling: '-> nowhere',
    zero: '',
    large: noise(PIECE * 2 + 5),
  });
  writeFileSync(Buffer.from(`${from}/n\xffa\nme`, 'latin1'), 'bytes that are no text');
  chmodSync(join(from, 'a.txt'), 0o4751);
  chmodSync(join(from, 'empty'), 0o500);
  chmodSync(join(from, 'deep/er'), 0o555);
  age(join(from, 'a.txt'), 1_000_000_000.25);
  age(join(from, 'deep'), -5);
  const order = orderOf(root.path, { terminationMessage: '/nowhere', flush: true });

  const first = await runOrder(order);

  const expected = look(from);
  assert.deepEqual(look(join(root.path, 'to')), expected);
  assert.equal(lstatSync(join(root.path, 'to/a.txt')).mode & 0o7777, 0o751, 'no setuid');
  assert.deepEqual(readdirSync(root.path).sort(), ['from', 'to'], 'nothing is left behind');
  const sums = { files: 5, folders: 4, links: 3, skipped: 0, deleted: 0 };
  assert.equal(first.filesCopied, 5);
  assert.deepEqual({ ...first, ...sums }, first);

  const again = await runOrder(order);
  assert.equal(again.filesCopied, 0);
  assert.equal(again.bytesCopied, 0);
  assert.equal(again.digest, first.digest, 'read back, without copying');
  assert.deepEqual(look(join(root.path, 'to')), expected);
});

test('the digest depends on names, bytes and links, and on nothing else', async () => {
  using root = scratch();
  const digestOf = async (tree: Parameters<typeof plant>[1]) => {
    rmSync(join(root.path, 'from'), { recursive: true, force: true });
    rmSync(join(root.path, 'to'), { recursive: true, force: true });
    plant(join(root.path, 'from'), tree);
    return (await runOrder(orderOf(root.path))).digest;
  };
  const digest = await digestOf({ a: '1', b: '2', l: '-> a' });
  assert.equal(await digestOf({ l: '-> a', b: '2', a: '1', 'empty/': undefined }), digest);
  for (const other of [
    { a: '2', b: '1', l: '-> a' },
    { a: '1', b: '2', l: '-> b' },
    { a: '1', b: '2' },
    { a: '1', c: '2', l: '-> a' },
    { a: '1', b: '2', l: 'a' },
    { a: '1', b: '2', l: '-> a', x: '' },
  ]) {
    assert.notEqual(await digestOf(other), digest, JSON.stringify(other));
  }
});

test('copy adds and replaces; only sync deletes, and replaces what is of another kind', async () => {
  using root = scratch();
  const to = join(root.path, 'to');
  plant(join(root.path, 'from'), { a: 'new', 'f/x': '1', kind: 'file' });
  plant(to, { a: 'old', mine: 'stays', 'f/y': '2', 'g/h/i': '3' });

  const copied = await runOrder(orderOf(root.path));
  assert.deepEqual([copied.deleted, copied.files], [0, 3]);
  const kept = { '': '', a: 'new', f: '', 'f/x': '1', 'f/y': '2', kind: 'file' };
  const others = { g: '', 'g/h': '', 'g/h/i': '3', mine: 'stays' };
  assert.deepEqual(contents(to), { ...kept, ...others });

  rmSync(join(to, 'kind'));
  plant(to, { 'kind/of': 'folder' });
  assert.match(await failureOf(() => runOrder(orderOf(root.path))), /^TargetConflict: source kind/);
  const dry = await runOrder(orderOf(root.path, { mode: 'sync', dryRun: true }));
  assert.deepEqual([dry.deleted, dry.filesCopied, dry.digest], [3, 1, undefined]);
  assert.equal(existsSync(join(to, 'mine')), true, 'a dry run changes nothing');

  const synced = await runOrder(orderOf(root.path, { mode: 'sync' }));
  assert.deepEqual([synced.deleted, synced.filesCopied], [3, 1]);
  const { 'f/y': _, ...left } = kept;
  assert.deepEqual(contents(to), left);
});

test('by content, a file with the size and time of its source is replaced when its bytes differ', async () => {
  using root = scratch();
  const big = noise(PIECE + 9);
  const other = Buffer.from(big);
  other[PIECE + 3] = (other[PIECE + 3] ?? 0) ^ 1;
  plant(join(root.path, 'from'), { a: 'abc', big });
  plant(join(root.path, 'to'), { a: 'abd', big: other });
  for (const name of ['from/a', 'from/big', 'to/a', 'to/big']) age(join(root.path, name), 1e9);
  assert.equal((await runOrder(orderOf(root.path))).filesCopied, 0, 'by metadata');
  const result = await runOrder(orderOf(root.path, { compare: 'content' }));
  assert.equal(result.filesCopied, 2);
  assert.deepEqual(look(join(root.path, 'to/big')), look(join(root.path, 'from/big')));
  assert.equal((await runOrder(orderOf(root.path, { compare: 'content' }))).filesCopied, 0);
});

test('a single file can be the tree, and folders on the way to the target are made', async () => {
  using root = scratch();
  plant(root.path, { from: 'one' });
  const to = { kind: 'local', root: root.path, path: 'x/y/z' };
  const { files, digest } = await runOrder(orderOf(root.path, { to }));
  assert.equal(files, 1);
  assert.match(String(digest), /^tree1:[0-9a-f]{64}$/);
  assert.deepEqual(contents(join(root.path, 'x/y')), { '': '', z: 'one' });
});

test('the root itself can be the target; its rights stay those of whoever made it', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: '1' });
  mkdirSync(join(root.path, 'claim'), { mode: 0o751 });
  const to = { kind: 'local', root: join(root.path, 'claim') };
  await runOrder(orderOf(root.path, { to, mode: 'sync' }));
  assert.deepEqual(readdirSync(join(root.path, 'claim')), ['a']);
  assert.equal(lstatSync(join(root.path, 'claim')).mode & 0o777, 0o751);
});

test('hard links become files of their own, and holes stay holes', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: 'x' });
  linkSync(join(root.path, 'from/a'), join(root.path, 'from/b'));
  for (const [name, size] of [
    ['small', 2 ** 20],
    ['large', 3 * PIECE],
  ] as const) {
    const fd = openSync(join(root.path, 'from', name), 'w');
    ftruncateSync(fd, size);
    writeSync(fd, Buffer.from('end'), 0, 3, size - 3);
  }
  await runOrder(orderOf(root.path));
  const inTarget = (name: string) => lstatSync(join(root.path, 'to', name));
  assert.notEqual(inTarget('a').ino, inTarget('b').ino);
  assert.deepEqual(look(join(root.path, 'to')), look(join(root.path, 'from')));
  const source = lstatSync(join(root.path, 'from/large'));
  if (source.blocks * 512 < source.size) {
    assert.ok(inTarget('large').blocks * 512 < PIECE, 'holes of a large file');
    assert.ok(inTarget('small').blocks * 512 < 2 ** 19, 'holes of a small file');
  }
});

test('what cannot be moved is refused with a reason, and nothing is touched', async (t) => {
  const cases: readonly {
    readonly what: string;
    readonly expected: RegExp;
    readonly prepare?: (root: string) => void;
    readonly fields?: object;
  }[] = [
    {
      what: 'no source',
      expected: /^SourceMissing/,
      prepare: (root) => rmSync(join(root, 'from'), { recursive: true }),
    },
    {
      what: 'no root',
      expected: /^SourceMissing/,
      fields: { from: { kind: 'local', root: '/nowhere/at/all' } },
    },
    {
      what: 'no root of the target',
      expected: /^TargetMissing/,
      fields: { to: { kind: 'local', root: '/nowhere/at/all' } },
    },
    {
      what: 'a link out of the source',
      expected: /^SymlinkOutside: source f\/l/,
      prepare: (root) => symlinkSync('/etc/passwd', join(root, 'from/f/l')),
    },
    {
      what: 'a link in the path',
      expected: /^SymlinkOutside: .*goes through/,
      prepare: (root) => symlinkSync('/etc', join(root, 'l')),
      fields: { from: { kind: 'local', root: 'ROOT', path: 'l/ssl' } },
    },
    {
      what: 'the source is a link',
      expected: /^SymlinkOutside/,
      prepare: (root) => symlinkSync('from', join(root, 'l')),
      fields: { from: { kind: 'local', root: 'ROOT', path: 'l' } },
    },
    {
      what: 'the target is a link',
      expected: /^TargetConflict/,
      prepare: (root) => symlinkSync('/tmp', join(root, 'to')),
    },
    {
      what: 'a link on the way to the target',
      expected: /^SymlinkOutside/,
      prepare: (root) => symlinkSync('/tmp', join(root, 'l')),
      fields: { to: { kind: 'local', root: 'ROOT', path: 'l/x' } },
    },
    {
      what: 'a socket',
      expected: /^SpecialFile: source f\/socket/,
      prepare: (root) => createServer().listen(join(root, 'from/f/socket')).unref(),
    },
    {
      what: 'the target in the source',
      expected: /^Overlap/,
      fields: { to: { kind: 'local', root: 'ROOT', path: 'from/f/to' } },
    },
    {
      what: 'the source in the target',
      expected: /^Overlap/,
      fields: { to: { kind: 'local', root: 'ROOT' } },
    },
    {
      what: 'an unfinished copy in the source',
      expected: /^SourceIncomplete/,
      prepare: (root) => plant(join(root, 'from'), { 'f/.perigee-mover-1/tree/x': '' }),
    },
    {
      what: 'a file on the way',
      expected: /^TargetConflict/,
      fields: { to: { kind: 'local', root: 'ROOT', path: 'from.txt/x' } },
    },
    {
      what: 'a tree without a bottom',
      expected: /^TooDeep/,
      prepare: (root) => plant(join(root, 'from'), { [`${'d/'.repeat(300)}x`]: '' }),
    },
  ];
  for (const { what, expected, prepare, fields } of cases) {
    await t.test(what, async () => {
      using root = scratch();
      plant(root.path, { 'from/a': '1', 'from/f/b': '2', 'from.txt': 'file' });
      prepare?.(root.path);
      const before = look(root.path);
      const real = JSON.parse(
        JSON.stringify(fields ?? {}).replaceAll('"ROOT"', JSON.stringify(root.path)),
      );
      assert.match(await failureOf(() => runOrder(orderOf(root.path, real))), expected);
      assert.deepEqual(look(root.path), before);
      assert.equal(
        readdirSync(root.path).some((name) => name.startsWith('.perigee')),
        false,
      );
    });
  }
});

test('special files and links to the outside can be left out', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: '1', out: '-> /etc' });
  const server = createServer().listen(join(root.path, 'from/socket'));
  const skip = { special: 'skip', outsideLinks: 'skip' };
  const result = await runOrder(orderOf(root.path, skip));
  server.close();
  assert.deepEqual([result.files, result.skipped], [1, 2]);
  assert.deepEqual(contents(join(root.path, 'to')), { '': '', a: '1' });
});

test('orders that are not valid', async () => {
  const place = { kind: 'local', root: '/tmp' };
  const table: readonly [object, RegExp][] = [
    [{ from: undefined }, /InvalidOrder: .*from must be an object/],
    [{ from: { ...place, kind: 'ftp' } }, /from.kind must be one of local, s3, http/],
    [{ from: { kind: 's3', bucket: '../x' } }, /from.bucket is no name of a bucket/],
    [
      { from: { kind: 's3', bucket: 'abc', endpoint: 'file:///etc' } },
      /from.endpoint must begin with/,
    ],
    [
      { from: { kind: 's3', bucket: 'abc', endpoint: 'http://a:b@c' } },
      /must not hold credentials/,
    ],
    [{ from: { kind: 's3', bucket: 'abc', path: 'a/../..' } }, /PathOutside/],
    [{ to: { kind: 'http', url: 'http://a/b' } }, /to: a web server.* can only be read/],
    [{ from: { ...place, root: 'x' } }, /from.root must be an absolute path/],
    [{ from: { ...place, path: '../x' } }, /PathOutside: path ..\/x climbs out/],
    [{ to: { ...place, path: 'a/../../x' } }, /PathOutside/],
    [{ to: { ...place, path: '/etc' } }, /PathOutside: .*relative/],
    [{ to: { ...place, path: 'a\0b' } }, /zero byte/],
    [{ to: { ...place, paht: '' } }, /to has no field "paht"/],
    [{ shell: 'rm' }, /the order has no field "shell"/],
    [{ mode: 'mirror' }, /mode must be one of copy, sync/],
    [{ parallelism: 0 }, /parallelism must be a number from 1 to 64/],
    [{ parallelism: 1.5 }, /whole number/],
    [{ flush: 'yes' }, /flush must be true or false/],
  ];
  for (const [fields, expected] of table) {
    assert.match(await failureOf(() => orderOf('/tmp', fields)), expected);
  }
});

test('a source that changes under the copy is noticed', async () => {
  using root = scratch();
  const from = join(root.path, 'from');
  plant(from, Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, 'x'])));
  let turns = 0;
  // The first turn comes while the source is looked at, the second while it is copied.
  const clock: MoverClock = {
    ...processClock,
    yield: async () => {
      turns++;
      if (turns === 2) writeFileSync(join(from, 'new'), 'x');
    },
  };
  const { signal } = new AbortController();
  const options = { clock, signal, onProgress: () => {} };
  const grown = await failureOf(() => move(orderOf(root.path), options));
  assert.match(grown, /^SourceChanged: source \.: entries of the folder changed/);
  assert.equal(existsSync(join(root.path, 'to')), false, 'no half copy');

  rmSync(from, { recursive: true });
  plant(from, { big: noise(12 * PIECE) });
  // Many ticks pass until that much is read, written, and read again.
  const onProgress = () => appendFileSync(join(from, 'big'), 'x');
  const order = orderOf(root.path, { progressSeconds: 0.05, parallelism: 1 });
  const written = await failureOf(() => move(order, { ...options, onProgress }));
  assert.match(written, /^SourceChanged: source big was changed/);
  assert.equal(existsSync(join(root.path, 'to')), false, 'no half copy');

  await runOrder(orderOf(root.path));
  assert.deepEqual(look(join(root.path, 'to')), look(from));
});

test('a target that does not give back what was written to it is not taken for a copy', async () => {
  const transfer = new Transfer(new Counters());
  const wrong = Buffer.from('abd');
  const file = (bytes: Buffer) => ({
    read: (buffer: Buffer, position: number) => bytes.copy(buffer, 0, position),
    version: () => '',
    write: () => {},
    resize: () => {},
    flush: () => {},
    [Symbol.dispose]: () => {},
  });
  const stretch = { path: () => 'a', offset: 0, length: 3 };
  const copyTo = (bytes: Buffer) => () =>
    transfer.copy(file(Buffer.from('abc')), file(bytes), stretch, false);
  assert.match(await failureOf(copyTo(wrong)), /^VerificationFailed: target a does not hold/);
  assert.match(await failureOf(copyTo(Buffer.from('ab'))), /^VerificationFailed: .*shorter/);
});

test('a cancelled move keeps what it did, and another mover cannot come in between', async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: '1', big: noise(12 * PIECE) });
  const cancelled = new AbortController();
  let busy: Promise<string> | undefined;
  const first = move(orderOf(root.path, { progressSeconds: 0.05, parallelism: 1 }), {
    clock: processClock,
    signal: cancelled.signal,
    onProgress: ({ bytesDone }) => {
      if (bytesDone < PIECE * 2) return;
      busy ??= failureOf(() => runOrder(orderOf(root.path))).finally(() => cancelled.abort());
    },
  });
  assert.match(await failureOf(() => first), /^Cancelled/);
  assert.equal(await busy, 'TargetBusy: another mover writes to this target');
  assert.equal(existsSync(join(root.path, 'to')), false);
  const { bytesCopied, bytes } = await runOrder(orderOf(root.path));
  assert.ok(bytesCopied <= bytes - PIECE, `${bytesCopied} of ${bytes} were copied again`);
  assert.deepEqual(look(join(root.path, 'to')), look(join(root.path, 'from')));
  assert.deepEqual(readdirSync(root.path).sort(), ['from', 'to']);
});

test('what may not be read or written is told', { skip: process.getuid?.() !== 0 }, async () => {
  using root = scratch();
  plant(join(root.path, 'from'), { a: '1', 'f/x': '2' });
  chmodSync(join(root.path, 'from/f'), 0o700);
  const asNobody = async (): Promise<string> => {
    process.seteuid?.(65534);
    try {
      return await failureOf(() => runOrder(orderOf(root.path)));
    } finally {
      process.seteuid?.(0);
    }
  };
  assert.match(await asNobody(), /^PermissionDenied: source f: EACCES: permission denied/);
  chmodSync(join(root.path, 'from/f'), 0o755);
  assert.match(await asNobody(), /^PermissionDenied: target to: EACCES/);
  chmodSync(root.path, 0o777);
  chmodSync(join(root.path, 'from/a'), 0o600);
  assert.match(await asNobody(), /^PermissionDenied: source a: EACCES/);
});

test('errors of the file system get reasons', () => {
  const table = {
    ENOSPC: 'DiskFull',
    EDQUOT: 'DiskFull',
    EROFS: 'PermissionDenied',
    EMFILE: 'TooManyOpenFiles',
    EIO: 'InputOutput',
    ENOENT: 'TargetConflict',
  };
  for (const [code, reason] of Object.entries(table)) {
    const error = Object.assign(new Error(`${code}: said, open '/proc/self/fd/3/x'`), { code });
    const { reason: got, message } = moveErrorOf(error, 'target', 'x');
    assert.equal(`${got} ${message}`, `${reason} target x: ${code}: said`);
  }
});

test('any tree comes out as it went in, over whatever was there', async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'ü', ' ', '-rf', '*', 'x\ny');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const content = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constant(undefined),
    fc.nat(3).map((n) => noise(n * 50_000 + 1)),
    fc.constantFrom('-> a', '-> ./b/c'),
  );
  const tree = fc.array(fc.tuple(path, content), { maxLength: 12 });
  const plantWhatFits = (
    root: string,
    entries: readonly (readonly [string, string | Buffer | undefined])[],
  ) => {
    mkdirSync(root);
    for (const [at, what] of entries) {
      try {
        plant(root, { [at]: what });
      } catch {
        // A file stands where another entry wants a folder.
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(tree, tree, fc.boolean(), async (source, before, isThere) => {
      using root = scratch();
      plantWhatFits(join(root.path, 'from'), source);
      if (isThere) plantWhatFits(join(root.path, 'to'), before);
      const mode = isThere ? 'sync' : 'copy';
      const { digest } = await runOrder(orderOf(root.path, { mode, parallelism: 1 }));
      const strip = (seen: Map<string, string>) => new Map([...seen].filter(([key]) => key !== ''));
      assert.deepEqual(strip(look(join(root.path, 'to'))), strip(look(join(root.path, 'from'))));
      const back = {
        from: { kind: 'local', root: root.path, path: 'to' },
        to: { kind: 'local', root: root.path, path: 'back' },
      };
      assert.equal((await runOrder(orderOf(root.path, back))).digest, digest);
    }),
    { numRuns: 15 },
  );
});
