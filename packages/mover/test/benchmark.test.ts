import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { besideRcloneOnS3 } from '../../../bench/mover-s3.ts';
import { scratch } from './support/trees.ts';

test('a benchmark that fails tells what the mover, its warnings and the server have said', async (t) => {
  using root = scratch();
  const server = join(root.path, 'rclone');
  writeFileSync(server, "#!/bin/sh\necho 'Starting; but out of memory' >&2\nexec sleep 60\n", {
    mode: 0o755,
  });
  const options = process.env.NODE_OPTIONS;
  t.after(() => {
    if (options === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = options;
  });
  process.env.NODE_OPTIONS = "--import=data:text/javascript,console.error('old')";
  const nothing = { what: 'nothing', bytes: 0, make: () => {} };
  await assert.rejects(besideRcloneOnS3(server, nothing), ({ message }: Error) => {
    assert.match(message, /"reason":"SourceMissing"/);
    assert.match(message, /^old$/m);
    assert.match(message, /^rclone serve s3: Starting; but out of memory$/m);
    return true;
  });
});
