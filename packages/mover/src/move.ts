import { type MoveOptions, type MoveResult, moveTree } from './move-tree.ts';
import type { Order } from './order.ts';
import { moveByRclone } from './rclone/move-by-rclone.ts';

/** Does what an order says, or throws a MoveError. */
export const move = (order: Order, options: MoveOptions): Promise<MoveResult> => {
  const { from, to } = order;
  return from.kind === 'rclone' || to.kind === 'rclone'
    ? moveByRclone(order, options)
    : moveTree({ ...order, from, to }, options);
};
