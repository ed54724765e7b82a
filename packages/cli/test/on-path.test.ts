import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { onPath, pathSetting } from '../src/on-path.ts';

const CHECKOUT = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');

test('a program is found in the first folder that has it', () => {
  const PATH = `/nonexistent:${CHECKOUT}:${CHECKOUT}/bin`;
  assert.equal(onPath('perigee', { PATH }), join(CHECKOUT, 'perigee'));
  assert.equal(onPath('perigee', { PATH: '/nonexistent' }), undefined);
});

test('whoever cannot type perigee yet is told how', () => {
  assert.equal(pathSetting({ PATH: '/nonexistent' }, CHECKOUT), 'export PATH="$PWD:$PATH"');
  assert.equal(
    pathSetting({ PATH: '/nonexistent' }, '/elsewhere'),
    `export PATH="${CHECKOUT}:$PATH"`,
  );
});

test('whoever can is told nothing', () => {
  assert.equal(pathSetting({ PATH: `${CHECKOUT}/bin` }, CHECKOUT), undefined);
});
