import { test } from 'node:test';
import { checkAgainstOracle, checkOverdueWork, checkReclaims } from './histories.ts';

const HISTORIES = Number(process.env.PERIGEE_HISTORIES ?? 3000);

test('every choice is the one that looking at everything gives, in many histories', () => {
  checkAgainstOracle(HISTORIES);
});

test('room that is kept for overdue work does no harm, in many histories', () => {
  checkOverdueWork(HISTORIES);
});

test('what is taken back does no harm, in many histories', () => {
  checkReclaims(HISTORIES);
});
