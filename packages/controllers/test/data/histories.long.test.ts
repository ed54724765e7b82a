import { test } from 'node:test';
import { playHistories } from './play-histories.ts';

const HISTORIES = Number(process.env.PERIGEE_HISTORIES ?? 10_000);

test(`claims hold in ${HISTORIES} random histories, in any order and over restarts`, () =>
  playHistories(HISTORIES));
