import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListen } from '../src/controllers/parse-listen.ts';

test('an address to listen on is a port, for this machine only, or says which machines are meant', () => {
  assert.deepEqual(parseListen('10358'), { port: 10358 });
  assert.deepEqual(parseListen('0.0.0.0:10358'), { host: '0.0.0.0', port: 10358 });
  assert.deepEqual(parseListen('[::]:0'), { host: '::', port: 0 });
  for (const wrong of ['', 'here', '70000', ':1', '::1:80', '-1', '1.5']) {
    assert.throws(() => parseListen(wrong), /write a port, or an address and a port/, wrong);
  }
});
