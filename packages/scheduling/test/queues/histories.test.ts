import { test } from 'node:test';
import { checkAgainstOracle, checkOverdueWork, checkReclaims } from './histories.ts';

test('every choice is the one that looking at everything gives, also after a restart', () => {
  checkAgainstOracle(200);
});

test('room that is kept for overdue work starves no guarantee, exceeds no limit and locks nobody out', () => {
  checkOverdueWork(200);
});

test('what is taken back helps whom it was taken for, is no guarantee, and comes to an end', () => {
  checkReclaims(200);
});
