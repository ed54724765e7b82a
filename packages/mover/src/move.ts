import { type MoveOptions, type MoveResult, moveTree } from './move-tree.ts';
import type { Order } from './order.ts';

/** Carries out an order, or throws a MoveError. */
export const move = async (order: Order, options: MoveOptions): Promise<MoveResult> => {
  const { from, to } = order;
  if (from.kind !== 'rclone' && to.kind !== 'rclone') {
    return moveTree({ ...order, from, to }, options);
  }
  const { moveByRclone } = await import('./rclone/move-by-rclone.ts');
  return moveByRclone(order, options);
};
