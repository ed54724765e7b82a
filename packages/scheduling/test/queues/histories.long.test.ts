import { test } from 'node:test';
import { checkAgainstOracle } from './histories.ts';

test('every choice is the one that looking at everything gives, in many histories', () => {
  checkAgainstOracle(Number(process.env.PERIGEE_HISTORIES ?? 3000));
});
