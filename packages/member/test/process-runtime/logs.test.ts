import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { PodLogRequest } from '@perigee/kube/client/pod-logs';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ContainerLog } from '../../src/process-runtime/container-log.ts';
import { readLog } from '../../src/process-runtime/read-log.ts';

const ID = 'ab12';

const openLog = (limitBytes = 1024 * 1024) => {
  const clock = new VirtualClock();
  const folder = mkdtempSync(join(tmpdir(), 'perigee-log-'));
  const log = new ContainerLog({ clock, folder, id: ID, limitBytes });
  const request = (options: Partial<PodLogRequest>): PodLogRequest => ({
    namespace: 'default',
    name: 'p',
    uid: 'u',
    container: 'main',
    containerID: ID,
    follow: false,
    timestamps: false,
    signal: new AbortController().signal,
    ...options,
  });
  return {
    clock,
    folder,
    log,
    write: (text: string, stream: 'stdout' | 'stderr' = 'stdout') =>
      log.append(stream, Buffer.from(text)),
    stream: (options: Partial<PodLogRequest> = {}) =>
      readLog({ folder, id: ID, live: log }, request(options)),
    read: async (options: Partial<PodLogRequest> = {}) => {
      const parts = await Array.fromAsync(readLog({ folder, id: ID, live: log }, request(options)));
      return Buffer.concat(parts).toString();
    },
    [Symbol.asyncDispose]: async () => {
      if (!log.isEnded) await log.end();
      rmSync(folder, { recursive: true });
    },
  };
};

describe('the output of a container', () => {
  it('is told as it was written', async () => {
    await using log = openLog();
    await log.write('one\ntw');
    await log.write('problem\n', 'stderr');
    await log.write('o\nthree');
    assert.equal(await log.read(), 'one\nproblem\ntwo\n');
    await log.log.end();
    assert.equal(await log.read(), 'one\nproblem\ntwo\nthree');
    assert.equal(await log.read({ stream: 'stderr' }), 'problem\n');
  });

  it('is told from its end, from a moment, with times, and up to a size', async () => {
    await using log = openLog();
    for (const text of ['a', 'b', 'c', 'd']) {
      await log.write(`${text}\n`);
      await log.clock.advance(1000);
    }
    assert.equal(await log.read({ tailLines: 2 }), 'c\nd\n');
    assert.equal(await log.read({ tailLines: 0 }), '');
    assert.equal(await log.read({ since: log.clock.now() - 3000 }), 'b\nc\nd\n');
    assert.equal(await log.read({ limitBytes: 3 }), 'a\nb');
    assert.equal(
      await log.read({ tailLines: 1, timestamps: true }),
      '2026-01-01T00:00:03.000000Z d\n',
    );
  });

  it('keeps lines whole that are longer than a record', async () => {
    await using log = openLog();
    const long = 'x'.repeat(100_000);
    await log.write(`${long}\nend\n`);
    assert.equal(await log.read(), `${long}\nend\n`);
    const [time = ''] = (await log.read({ timestamps: true })).split(' ');
    assert.equal(await log.read({ timestamps: true }), `${time} ${long}\n${time} end\n`);
  });

  it('takes no more room than it may, and keeps the newest', async () => {
    const limit = 8192;
    await using log = openLog(limit);
    for (let line = 0; line < 1000; line++) await log.write(`line ${line}\n`);
    const files = readdirSync(log.folder).map((name) => statSync(join(log.folder, name)).size);
    assert.ok(files.length === 2 && files.reduce((a, b) => a + b) <= limit, String(files));
    const lines = (await log.read()).trimEnd().split('\n');
    assert.equal(lines.at(-1), 'line 999');
    assert.deepEqual(
      lines,
      Array.from(lines, (_, at) => `line ${1000 - lines.length + at}`),
    );
    assert.ok(lines.length > 70, `${lines.length} lines are left`);
  });

  it('is followed over the ends of its files until the container ends', async () => {
    await using log = openLog(4096);
    await log.write('before\n');
    const parts: string[] = [];
    const reading = (async () => {
      for await (const bytes of log.stream({ follow: true, tailLines: 0 })) {
        parts.push(bytes.toString());
      }
    })();
    await log.clock.advance(0);
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line}\n`);
    for (const line of lines) {
      await log.write(line);
      if (line.endsWith('0\n')) await log.clock.advance(0);
    }
    await log.log.end();
    await reading;
    assert.equal(parts.join(''), lines.join(''));
  });

  it('is followed no longer than somebody reads', async () => {
    await using log = openLog();
    const nobody = new AbortController();
    await log.write('one\n');
    const reading = Array.fromAsync(log.stream({ follow: true, signal: nobody.signal }));
    await log.clock.advance(0);
    nobody.abort();
    assert.equal(Buffer.concat(await reading).toString(), 'one\n');
  });
});
