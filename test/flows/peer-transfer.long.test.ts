import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { type Line, type Mover, startMover } from '../../packages/mover/test/support/process.ts';
import { contents, plant } from '../../packages/mover/test/support/trees.ts';
import { openTransfer, PIECE } from './open-transfer.ts';

const open = () => {
  const transfer = openTransfer();
  return {
    ...transfer,
    serve: (fields: object = {}) => startMover(transfer.toServe(fields)),
    pull: (port: number, onLine: (line: Line) => void) =>
      startMover(transfer.toPull(port), { onLine }),
    [Symbol.dispose]: () => transfer[Symbol.dispose](),
  };
};

const lineOf = async (mover: Mover, type: string): Promise<Line> => {
  for (;;) {
    const line = mover.lines.find((one) => String(one.type) === type);
    if (line !== undefined) return line;
    const ended = await Promise.race([
      mover.ended.then(() => true),
      new Promise<false>((resolve) => mover.child.stdout?.once('data', () => resolve(false))),
    ]);
    if (ended) throw new Error(`it ended without ${type}: ${JSON.stringify(mover.lines.at(-1))}`);
  }
};

const portOf = async (mover: Mover): Promise<number> =>
  Number((await lineOf(mover, 'serving')).port);

/** Pieces that two threads have under way at a time; more bytes than theirs mean that one is written and noted. */
const UNDER_WAY = 4;

describe('a tree goes from one machine to another, and is interrupted', () => {
  const started: Mover[] = [];
  const run = (mover: Mover): Mover => {
    started.push(mover);
    return mover;
  };
  after(() => {
    for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL');
  });

  it('killed on either side in the middle it goes on, and no half copy gets its name', async () => {
    using transfer = open();
    const tree = Object.fromEntries(
      Array.from({ length: 4 }, (_, at) => [`d${at}/big`, randomBytes(2 * PIECE + at)]),
    );
    plant(transfer.at('a/tree'), tree);
    const rate = { bytesPerSecond: 40 * 2 ** 20 };
    const first = run(transfer.serve(rate));
    const port = await portOf(first);
    // The one that copies is killed.
    const killed = run(
      transfer.pull(port, ({ bytesDone }) => {
        if (Number(bytesDone) > UNDER_WAY * PIECE) killed.child.kill('SIGKILL');
      }),
    );
    assert.equal((await killed.ended).signal, 'SIGKILL');
    assert.equal(existsSync(transfer.at('b/tree')), false);
    // The one that serves is killed, and comes back at the same address.
    let second: Mover | undefined;
    const pull = run(
      transfer.pull(port, ({ phase, bytesDone }) => {
        if (second !== undefined || phase !== 'copy' || Number(bytesDone) < 6 * PIECE) return;
        first.child.kill('SIGKILL');
        second = run(transfer.serve({ port }));
      }),
    );
    assert.deepEqual(
      await pull.ended,
      { code: 0, signal: null },
      JSON.stringify(pull.lines.at(-1)),
    );
    assert.deepEqual(contents(transfer.at('b/tree')), contents(transfer.at('a/tree')));
    const result = pull.lines.at(-1);
    assert.ok(Number(result?.retries) > 0, 'it has noticed');
    assert.ok(Number(result?.bytesCopied) < 8 * PIECE, 'what was there was not copied again');
    assert.equal((await second?.ended)?.code, 0);
  });

  it('a file that changes meanwhile is found', async () => {
    using transfer = open();
    plant(transfer.at('a/tree'), { big: randomBytes(3 * PIECE) });
    const server = run(transfer.serve({ bytesPerSecond: 6 * 2 ** 20 }));
    const port = await portOf(server);
    let isChanged = false;
    const pull = run(
      transfer.pull(port, ({ phase, bytesDone }) => {
        if (isChanged || phase !== 'copy' || Number(bytesDone) < PIECE) return;
        isChanged = true;
        writeFileSync(transfer.at('a/tree/big'), randomBytes(3 * PIECE));
      }),
    );
    assert.equal((await pull.ended).code, 11, JSON.stringify(pull.lines.at(-1)));
    assert.equal(pull.lines.at(-1)?.reason, 'SourceChanged');
    server.child.kill('SIGTERM');
    await server.ended;
  });
});
