import { test } from 'node:test';
import { checkAgainstOracle } from './histories.ts';

test('every choice is the one that looking at everything gives, also after a restart', () => {
  checkAgainstOracle(200);
});
