import { parseResourceList, type WrittenResourceList } from '@perigee/api/values/resource-list';
import { type Amount, amountOf } from '../../../clusters/room/amount.ts';

/** The requests of one pod, without zeros. */
export type PodShape = readonly { readonly name: string; readonly amount: Amount }[];

export const podShapeOf = (list: unknown): PodShape =>
  [...parseResourceList(list as WrittenResourceList | undefined)]
    .map(([name, quantity]) => ({ name, amount: amountOf(name, quantity) }))
    .filter(({ amount }) => amount.units > 0);
