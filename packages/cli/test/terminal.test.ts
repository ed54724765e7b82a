import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import fc from 'fast-check';
import { formatAge } from '../src/output/age.ts';
import { formatBytes, formatCores } from '../src/output/amount.ts';
import { helpOf } from '../src/output/command-help.ts';
import { formatReasonsTable } from '../src/output/reasons-table.ts';
import { formatTable, TableWriter } from '../src/output/table.ts';
import { terminalOf } from '../src/output/terminal.ts';
import { fitProse, wrap } from '../src/output/wrap.ts';
import { createProgram } from '../src/program.ts';
import { main, openStage, type Stage } from './command-line.ts';

const plain = (width?: number) => ({
  terminal: { hasColours: false, ...(width === undefined ? {} : { width }) },
});

describe('tables', () => {
  const rows = [
    ['NAME', 'PHASE', 'MESSAGE'],
    ['a-name-that-is-long', 'Ready', 'all is well and has been for quite some time'],
  ];

  it('fit the terminal, and lose nothing of the first column', () => {
    assert.equal(
      formatTable(rows, plain(50)),
      'NAME                  PHASE   MESSAGE\n' +
        'a-name-that-is-long   Ready   all is well and has…\n',
    );
  });

  it('are not cut for a last column in which nothing stands yet', () => {
    const writer = new TableWriter(plain(12));
    const first = writer.format([
      ['NAME', 'PHASE', ''],
      ['one', 'Ready', ''],
    ]);
    assert.equal(first, 'NAME   PHASE\none    Ready\n');
    assert.equal(writer.format([['one', 'Ready', 'deleted']]), 'one    Ready   deleted\n');
  });

  it('are whole where nobody looks, and where that is wished', () => {
    assert.match(formatTable(rows, plain()), /quite some time\n$/);
    assert.match(formatTable(rows, { ...plain(40), isWide: true }), /quite some time\n$/);
  });

  it('keep their columns when more rows come', () => {
    const writer = new TableWriter(plain(60));
    assert.equal(
      writer.format([
        ['NAME', 'X'],
        ['first', '1'],
      ]),
      'NAME    X\nfirst   1\n',
    );
    assert.equal(writer.format([['2nd', '2']]), '2nd     2\n');
    assert.equal(writer.format([['the-third', '3']]), 'the-third   3\n');
  });

  it('let nothing through that commands the terminal or breaks the line', () => {
    const text = formatTable([['N'], ['a\u001b[31mb\nc\u0007']], plain());
    assert.equal(text, 'N\na [31mb c\n');
  });

  it('never have a line that is too long when the columns can be cut', () => {
    const cell = fc.string({ maxLength: 60 });
    const table = fc.integer({ min: 1, max: 6 }).chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
        minLength: 1,
        maxLength: 5,
      }),
    );
    fc.assert(
      fc.property(table, fc.integer({ min: 40, max: 200 }), (given, width) => {
        const lines = formatTable(given, plain(width)).trimEnd().split('\n');
        const first = Math.max(...given.map(([name = '']) => name.length));
        const least = first + ((given[0]?.length ?? 1) - 1) * (8 + 3);
        for (const line of lines) assert.ok(line.length <= Math.max(width, least), line);
      }),
      { numRuns: 200 },
    );
  });
});

describe('reasons', () => {
  const rows = [
    ['NAME', 'ROOM', 'WHY'],
    ['one', '', 'it is the very first of them, and there is much to be said about it'],
    ['two', '', 'short'],
  ];

  it('stand in the line where there is room, and below it where not', () => {
    assert.equal(
      formatReasonsTable(rows, plain(40)),
      'NAME   WHY\none\n    it is the very first of them, and\n    there is much to be said about it\ntwo    short\n',
    );
    assert.match(formatReasonsTable(rows, plain()), /^NAME {3}WHY\none {4}it is the very first/);
  });
});

describe('what others wrote', () => {
  const trick = 'image \u001b]0;title\u0007\u001b[2Jbad';

  it('does nothing to a terminal', () => {
    const texts = [
      fitProse(trick, { width: 80, hasColours: false }),
      formatReasonsTable(
        [
          ['NAME', 'WHY'],
          ['one', trick],
        ],
        plain(80),
      ),
      formatReasonsTable(
        [
          ['NAME', 'WHY'],
          ['one', trick],
        ],
        plain(10),
      ),
    ];
    for (const text of texts) assert.doesNotMatch(text, /[^\P{Cc}\n]/u);
  });
});

describe('prose', () => {
  it('is broken between words', () => {
    assert.equal(wrap('one two three four', 9), 'one two\nthree\nfour');
  });

  it('tells amounts shortly', () => {
    const cores = ['0', '250m', '62500m', '1234567m'].map(formatCores);
    assert.deepEqual(cores, ['0', '0.3', '62.5', '1235']);
    const bytes = ['0', '1023', '256089778Ki', '3Ti', '-2Gi'].map(formatBytes);
    assert.deepEqual(bytes, ['0', '1023', '244Gi', '3Ti', '-2Gi']);
  });

  it('tells ages as kubectl does', () => {
    const ages = [0, 119, 120, 10_799, 10_800, 172_800].map((seconds) => formatAge(seconds * 1000));
    assert.deepEqual(ages, ['0s', '119s', '2m', '179m', '3h', '2d']);
  });
});

describe('examples', () => {
  it('fit a usual terminal', async () => {
    for (const command of (await createProgram()).commands) {
      const lines = helpOf(command)?.examples.flatMap(([line]) => line.split('\n')) ?? [];
      for (const line of lines) assert.ok(line.length <= 78, line);
    }
  });
});

describe('colours', () => {
  const tty = { isTTY: true, columns: 80 };
  it('are for terminals, and not for those who do not want them', () => {
    assert.equal(terminalOf(tty, {}).hasColours, true);
    assert.equal(terminalOf(tty, { NO_COLOR: '1' }).hasColours, false);
    assert.equal(terminalOf(tty, { TERM: 'dumb' }).hasColours, false);
    assert.equal(terminalOf({ isTTY: false, columns: 80 }, {}).hasColours, false);
    assert.equal(terminalOf({ isTTY: false, columns: 80 }, {}).width, undefined);
  });

  it('are not for those who show it on a terminal of theirs, but lines that fit are', () => {
    const shown = terminalOf({ isTTY: false, columns: 0 }, { PERIGEE_COLUMNS: '75' });
    assert.deepEqual(shown, { width: 75, hasColours: false });
    assert.equal(terminalOf(tty, { PERIGEE_COLUMNS: '75' }).width, 80);
  });
});

/** `script` runs a command on a pseudo-terminal. */
const TERMINAL_MAKER = 'script';
const hasScript = spawnSync(TERMINAL_MAKER, ['-qec', 'true', '/dev/null']).status === 0;
const skip = hasScript ? false : 'there is no script(1) of util-linux to make a terminal with';

describe('a real terminal', { skip }, () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
    const spec = { region: { region: 'a-region-with-a-very-long-name' } };
    await stage.server.client.create(ClusterRecord, { metadata: { name: 'c1' }, spec });
  });
  after(() => stage[Symbol.asyncDispose]());

  const onTerminal = async (columns: number, line: string, env: object = {}): Promise<string> => {
    const command = `stty cols ${columns}; '${process.execPath}' '${main}' ${line}`;
    const { stdout } = await promisify(execFile)(TERMINAL_MAKER, ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'xterm', KUBECONFIG: stage.kubeconfig, ...env },
    });
    return stdout.replaceAll('\r', '');
  };

  it('gets lines that fit, with colours unless they are not wanted', async () => {
    const coloured = await onTerminal(60, 'list clusters');
    assert.ok(coloured.startsWith('\u001b[1mNAME'), coloured);
    const lines = stripVTControlCharacters(coloured).trimEnd().split('\n');
    assert.ok(lines.every((text) => text.length <= 60));
    assert.match(lines[1] ?? '', /^c1 +a-reg.*…/);
    const without = await onTerminal(60, 'list clusters', { NO_COLOR: '1' });
    assert.equal(without, stripVTControlCharacters(without));
    assert.match(await onTerminal(60, 'list clusters -o wide'), /a-region-with-a-very-long-name/);
  });

  it('gets help that fits', async () => {
    const lines = (await onTerminal(70, 'get --help', { NO_COLOR: '1' })).split('\n');
    assert.ok(lines.every((text) => text.length <= 70));
  });

  it('gets errors that are broken between words', async () => {
    const told = await onTerminal(60, 'completion bsh || true');
    assert.match(told, /^perigee: .*'bsh' is invalid/);
    assert.ok(told.split('\n').every((text) => text.length <= 60 && !/ c$/.test(text)));
  });

  it('gets only those columns of many kinds that say something', async () => {
    const narrow = await onTerminal(80, 'api-resources', { NO_COLOR: '1' });
    assert.match(narrow, /^NAME +SHORTNAMES +APIVERSION\n/);
    assert.match(narrow, /\nclusters +gcluster +globalscheduler\.com\/v1\n/);
    const one = await onTerminal(80, 'api-resources cluster', { NO_COLOR: '1' });
    assert.match(one, /\nclusters +gcluster +globalscheduler\.com\/v1 +false +Cluster\n$/);
    const wide = await onTerminal(160, 'api-resources', { NO_COLOR: '1' });
    assert.match(wide, /\nclusters +gcluster +globalscheduler\.com\/v1 +false +Cluster\n/);
  });
});
