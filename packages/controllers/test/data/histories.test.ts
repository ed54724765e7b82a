import { test } from 'node:test';
import { playHistories } from './play-histories.ts';

test('claims hold in 200 random histories, in any order and over restarts', () =>
  playHistories(200));
