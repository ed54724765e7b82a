import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubectlShell } from './kubectl-shell.ts';
import { playSession } from './session.ts';

const printing = (stdout: string): KubectlShell => ({
  folder: '',
  kubectl: 'kubectl',
  run: async () => ({ code: 0, stdout, stderr: '' }),
  [Symbol.dispose]: () => {},
});

test('the address of a server whose port is one that Services get is an address', async () => {
  const shell = printing('running at http://127.0.0.1:32801, a node at port 80:30123/TCP\n');
  assert.equal(
    await playSession(shell, '$ kubectl cluster-info\n'),
    '$ kubectl cluster-info\nrunning at URL, a node at port 80:PORT/TCP\n',
  );
});
