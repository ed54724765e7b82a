import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { main, openStage } from './command-line.ts';

const TERMINAL_MAKER = 'script';
const hasScript = spawnSync(TERMINAL_MAKER, ['-qec', 'true', '/dev/null']).status === 0;
const skip = hasScript ? false : 'there is no script(1) of util-linux to make a terminal with';

/** The cursor moves up and the next screen replaces the previous one. */
const REDRAWN = /<ESC>\[\d+F<ESC>\[J[\s\S]*second/;

test('perigee top draws again in its place when something happens', { skip }, async () => {
  await using stage = await openStage();
  const { client } = stage.server;
  const add = (name: string) => client.create(ClusterRecord, { metadata: { name }, spec: {} });
  await add('first');
  const command = `stty cols 80 rows 24; exec '${process.execPath}' '${main}' top`;
  const terminal = spawn(TERMINAL_MAKER, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', KUBECONFIG: stage.kubeconfig },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    let shown = '';
    let isAdded = false;
    for await (const chunk of terminal.stdout.setEncoding('utf8')) {
      shown += chunk.replaceAll('\u001b', '<ESC>');
      if (!isAdded && shown.includes('first')) {
        isAdded = true;
        await add('second');
      }
      if (REDRAWN.test(shown)) break;
    }
    assert.match(shown, REDRAWN);
    assert.ok(shown.includes('<ESC>[1mCLUSTERS'));
  } finally {
    terminal.kill();
    await once(terminal, 'exit');
  }
});
