import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startGroup } from '../../src/processes/process-group.ts';

test('what a process said is there although it ended before anybody listened', async () => {
  const { running } = await startGroup('sh', ['-c', 'echo out; echo err >&2'], { cwd: '/' });
  assert.deepEqual(await running.exited, { exitCode: 0 });
  // Node flushes what nobody listens to in the turns after the end.
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  const said = await Promise.all(
    [running.stdout, running.stderr].map((output) =>
      text(output as AsyncIterable<Buffer> as never),
    ),
  );
  assert.deepEqual(said, ['out\n', 'err\n']);
});
