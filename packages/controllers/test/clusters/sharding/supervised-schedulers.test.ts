import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { launchChild } from '@perigee/controllers/clusters/scheduler-lifecycle/launch-child';
import { SupervisedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/supervised-schedulers';
import { realClock } from '@perigee/kube/clock/real-clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';

const one = { metadata: { name: 'one' } };
const term = new AbortController();
const logger = createLogger({ clock: new VirtualClock(), write: () => {} });

describe('supervised schedulers', () => {
  it('are started again after they end, later each time', async () => {
    const clock = new VirtualClock();
    const starts: number[] = [];
    await using schedulers = new SupervisedSchedulers({
      clock,
      logger,
      launch: async () => {
        starts.push(clock.monotonic());
        throw new Error('crash');
      },
    });
    await schedulers.start(one, term);
    await schedulers.start(one, term);
    await clock.advance(20_000);
    assert.deepEqual(starts, [0, 1000, 3000, 7000, 15_000]);
  });

  it('start soon again when they ran for long', async () => {
    const clock = new VirtualClock();
    const starts: number[] = [];
    await using schedulers = new SupervisedSchedulers({
      clock,
      logger,
      launch: async (_, signal) => {
        starts.push(clock.monotonic());
        await clock.sleep(300_000, signal);
      },
    });
    await schedulers.start(one, term);
    await clock.advance(602_000);
    assert.deepEqual(starts, [0, 301_000, 602_000]);
  });

  it('end when they are stopped, and not before they have ended', async () => {
    const clock = new VirtualClock();
    const told: string[] = [];
    await using schedulers = new SupervisedSchedulers({
      clock,
      logger,
      launch: async (name, signal) => {
        await clock.sleep(1_000_000, signal).catch(() => told.push(`${name} ended`));
      },
    });
    await schedulers.start(one, term);
    await schedulers.stop('one');
    await schedulers.stop('never started');
    assert.deepEqual(told, ['one ended']);
  });
});

describe('supervised schedulers of a leader', () => {
  it('end with its term, and start again with the next', async () => {
    const clock = new VirtualClock();
    const told: string[] = [];
    await using schedulers = new SupervisedSchedulers({
      clock,
      logger,
      launch: async (_, signal) => {
        told.push('started');
        await clock.sleep(1_000_000, signal).catch(() => told.push('ended'));
      },
    });
    const first = new AbortController();
    await schedulers.start(one, first);
    first.abort();
    await clock.advance(0);
    await schedulers.start(one, term);
    assert.deepEqual(told, ['started', 'ended', 'started']);
  });
});

describe('a scheduler in a child process', () => {
  const run = (script: string) => launchChild(realClock, () => [process.execPath, '-e', script]);
  const { signal } = new AbortController();

  it('tells how it ended', async () => {
    await run('')('one', signal);
    await assert.rejects(run('process.exit(3)')('one', signal), /the scheduler one ended with 3/);
    await assert.rejects(launchChild(realClock, () => ['/no/such/file'])('one', signal), /ENOENT/);
  });

  it('is asked to end', async () => {
    const stop = new AbortController();
    const ended = run('setInterval(() => {}, 1000)')('one', stop.signal);
    stop.abort();
    await assert.rejects(ended, /ended with SIGTERM/);
  });

  it('is ended when it does not listen', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perigee-deaf-'));
    const clock = new VirtualClock();
    const stop = new AbortController();
    const script = `trap "" TERM; touch ${folder}/deaf; while :; do sleep 1; done`;
    const deaf = launchChild(clock, () => ['sh', '-c', script]);
    const watcher = watch(folder);
    const isDeaf = once(watcher, 'change');
    const ended = assert.rejects(deaf('one', stop.signal), /ended with SIGKILL/);
    await isDeaf;
    watcher.close();
    stop.abort();
    await clock.advance(45_000);
    await ended;
    rmSync(folder, { recursive: true });
  });
});
