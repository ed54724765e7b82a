import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../src/ends/entry.ts';
import { decideEntry, type Rules } from '../src/plan/decide-entry.ts';
import { staysInside } from '../src/plan/link-target.ts';
import { count, lackOfRoom, noTotals } from '../src/plan/totals.ts';
import { Speedometer } from '../src/progress/progress.ts';

const RULES: Rules = {
  compare: 'metadata',
  special: 'refuse',
  outsideLinks: 'refuse',
  mayReplace: false,
  keeps: { times: true, links: true, needsDigest: false },
};

const entry = (fields: Partial<Entry> = {}): Entry => ({
  name: Buffer.from('a'),
  kind: 'file',
  size: 10,
  allocated: 4096,
  modifiedMs: 1000,
  version: 'v',
  mode: 0o644,
  ...fields,
});
const link = (linkTo: string) => entry({ kind: 'link', size: 0, linkTo: Buffer.from(linkTo) });
const folder = entry({ kind: 'folder', size: 0 });

test('an entry is decided by what both ends have of it', () => {
  const sync = { ...RULES, mayReplace: true };
  const table: readonly [string, Entry, Entry | undefined, Rules, string][] = [
    ['a new file', entry(), undefined, RULES, 'copy'],
    ['a file that is there', entry(), entry(), RULES, 'check'],
    ['one of another size', entry(), entry({ size: 11 }), RULES, 'copy'],
    ['one of another time', entry(), entry({ modifiedMs: 2000 }), RULES, 'copy'],
    ['a time that was rounded', entry(), entry({ modifiedMs: 1000.0009 }), RULES, 'check'],
    [
      'another time, by content',
      entry(),
      entry({ modifiedMs: 2 }),
      { ...RULES, compare: 'content' },
      'check',
    ],
    [
      'another size, by content',
      entry(),
      entry({ size: 2 }),
      { ...RULES, compare: 'content' },
      'copy',
    ],
    ['a folder', folder, undefined, RULES, 'enter'],
    ['a folder in the way of a file', entry(), folder, RULES, 'refuse TargetConflict'],
    ['the same in a sync', entry(), folder, sync, 'clear copy'],
    ['a link in the way of a file', entry(), link('x'), RULES, 'refuse TargetConflict'],
    ['a file in the way of a folder', folder, entry(), sync, 'clear enter'],
    ['the same link', link('x'), link('x'), RULES, 'link'],
    ['another link', link('x'), link('y'), RULES, 'clear link'],
    ['a link to the outside', link('/etc'), undefined, RULES, 'refuse SymlinkOutside'],
    [
      'a link to the outside, left out',
      link('..'),
      undefined,
      { ...RULES, outsideLinks: 'skip' },
      'skip',
    ],
    ['a pipe', entry({ kind: 'special' }), undefined, RULES, 'refuse SpecialFile'],
    [
      'a pipe, left out',
      entry({ kind: 'special' }),
      undefined,
      { ...RULES, special: 'skip' },
      'skip',
    ],
    [
      'a workshop',
      entry({ name: Buffer.from('.perigee-mover-1') }),
      undefined,
      RULES,
      'refuse SourceIncomplete',
    ],
  ];
  for (const [what, source, target, rules, expected] of table) {
    const decision = decideEntry(source, target, 0, rules);
    const more =
      decision.do === 'refuse' ? decision.reason : decision.do === 'clear' ? decision.next.do : '';
    assert.equal(`${decision.do} ${more}`.trim(), expected, what);
  }
});

test('a link that may leave the tree by way of another link does not count as inside', () => {
  const table: readonly [string, number, boolean][] = [
    ['x', 0, true],
    ['./x/y', 0, true],
    ['../x', 1, true],
    ['../../x', 1, false],
    ['..', 0, false],
    ['/x', 5, false],
    ['', 5, false],
    // Were b a link to the root of the tree, this would be outside.
    ['d1/d2/b/../x', 0, false],
    ['x/..', 3, false],
    ['..x', 0, true],
  ];
  for (const [to, depth, expected] of table) {
    assert.equal(staysInside(Buffer.from(to), depth), expected, to);
  }
});

test('the room that is needed is that of new files, less what they replace and what is there', () => {
  const totals = noTotals();
  const big = entry({ size: 1e9, allocated: 1e9 });
  count(totals, big, { do: 'copy', replaces: 0 }, 0);
  count(totals, entry({ size: 4096 }), { do: 'check', fixMode: false }, 0);
  assert.equal(lackOfRoom(totals, { bytes: 1e9, entries: 1 }), undefined);
  assert.match(
    lackOfRoom(totals, { bytes: 1e9 - 1, entries: 1 }) ?? '',
    /free \(953.7MiB\), and 1000000000 are needed \(953.7MiB\)/,
  );
  assert.match(lackOfRoom(totals, { bytes: 1e9, entries: 0 }) ?? '', /0 more files/);
  const resumed = noTotals();
  count(resumed, big, { do: 'copy', replaces: 0 }, 6e8);
  assert.equal(lackOfRoom(resumed, { bytes: 4e8, entries: 1 }), undefined);
  const replaced = noTotals();
  count(replaced, big, { do: 'copy', replaces: 1e9 }, 0);
  assert.equal(lackOfRoom(replaced, { bytes: 1e9, entries: 1 }), undefined);
  const sparse = noTotals();
  count(sparse, entry({ size: 1e12, allocated: 4096 }), { do: 'copy', replaces: 0 }, 0);
  assert.equal(lackOfRoom(sparse, { bytes: 4096, entries: 1 }), undefined);
});

test('progress tells the share, the speed and the time that is left', () => {
  const speedometer = new Speedometer();
  const at = (atMs: number, bytesCopied: number, more = {}) =>
    speedometer.take({
      atMs,
      phase: 'copy',
      bytesTotal: 10_000,
      bytesCopied,
      bytesKept: 0,
      filesTotal: 10,
      filesDone: 0,
      ...more,
    });
  assert.deepEqual(at(0, 0), {
    phase: 'copy',
    bytesDone: 0,
    bytesTotal: 10_000,
    filesDone: 0,
    filesTotal: 10,
    percentage: 0,
    bytesPerSecond: 0,
  });
  const later = at(1000, 2000);
  assert.equal(later.percentage, 20);
  assert.equal(later.bytesPerSecond, 2000);
  assert.equal(later.secondsLeft, 4);
  assert.equal(at(2000, 9999).percentage, 99.9);
  assert.equal(at(3000, 20_000).percentage, 100);
  assert.equal(at(4000, 0, { bytesTotal: 0, filesDone: 5 }).percentage, 50);
});

test('what is read before it is copied counts as work, and not as done', () => {
  const speedometer = new Speedometer();
  const at = (seconds: number, bytesRead: number, bytesCopied: number) => {
    const bytes = { bytesTotal: 100, bytesToRead: 100, bytesKept: 0, bytesRead, bytesCopied };
    const files = { filesTotal: 1, filesDone: 0 };
    return speedometer.take({ atMs: seconds * 1000, phase: 'copy', ...bytes, ...files });
  };
  at(0, 0, 0);
  const { bytesDone, percentage, bytesPerSecond, secondsLeft } = at(1, 20, 0);
  assert.deepEqual([bytesDone, percentage, bytesPerSecond, secondsLeft], [0, 10, 0, 9]);
  assert.equal(at(9, 100, 80).percentage, 90);
  assert.equal(at(10, 100, 100).percentage, 100);
});

test('a long look at the trees, and a slow start, do not make the speed look small for long', () => {
  const meter =
    (speedometer: Speedometer) =>
    (seconds: number, copied: number, phase = 'copy') =>
      speedometer.take({
        atMs: seconds * 1000,
        phase: phase as 'scan' | 'copy',
        bytesTotal: 10_000,
        bytesCopied: copied,
        bytesKept: 0,
        filesTotal: 10,
        filesDone: 0,
      });
  const long = meter(new Speedometer());
  for (let second = 0; second < 60; second++) long(second, 0, 'scan');
  long(60, 0);
  assert.equal(long(61, 100).bytesPerSecond, 100);
  assert.equal(long(62, 200).secondsLeft, 98);
  const slow = meter(new Speedometer());
  for (const [second, copied] of [0, 0, 100, 200, 300].entries()) slow(second, copied);
  const { bytesPerSecond } = slow(5, 400);
  assert.ok(
    bytesPerSecond > 80,
    `four of five seconds were at 100, and it tells ${bytesPerSecond}`,
  );
});
