import { MoveError } from '../../src/errors.ts';
import { move } from '../../src/move.ts';
import type { MoveResult } from '../../src/move-tree.ts';
import { type Order, parseOrder } from '../../src/order.ts';
import { processClock } from '../../src/process-clock.ts';

export type OrderFields = Partial<Record<keyof Order, unknown>>;

/** An order between two paths of one root. */
export const orderOf = (root: string, fields: OrderFields = {}): Order => {
  const from = { kind: 'local', root, path: 'from' };
  const to = { kind: 'local', root, path: 'to' };
  return parseOrder(JSON.stringify({ from, to, parallelism: 2, flush: false, ...fields }));
};

export const runOrder = (
  order: Order,
  signal: AbortSignal = new AbortController().signal,
): Promise<MoveResult> => move(order, { clock: processClock, signal, onProgress: () => {} });

/** The reason and the message with which a move fails. */
export const failureOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (error) {
    if (error instanceof MoveError) return `${error.reason}: ${error.message}`;
    throw error;
  }
  throw new Error('it did not fail');
};
