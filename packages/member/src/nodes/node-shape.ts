import type { WrittenResourceList } from '@perigee/api/values/resource-list';
import type { Taint } from '@perigee/kubernetes/core/taint';

/** A set of identical nodes. */
export interface NodeShape {
  readonly count: number;
  /** Name prefix; `node` for the first shape, `node1` and so on for the others. */
  readonly name?: string;
  readonly cpu?: string | number;
  readonly memory?: string;
  readonly pods?: number;
  readonly ephemeralStorage?: string;
  /** Extended resources, such as `nvidia.com/gpu`. */
  readonly extended?: WrittenResourceList;
  readonly labels?: { readonly [label: string]: string };
  readonly taints?: readonly Taint[];
}

export const capacityOf = ({
  cpu = 32,
  memory = '256Gi',
  pods = 110,
  ephemeralStorage = '1Ti',
  extended = {},
}: NodeShape): WrittenResourceList => ({
  cpu: String(cpu),
  memory,
  pods: String(pods),
  'ephemeral-storage': ephemeralStorage,
  ...Object.fromEntries(Object.entries(extended).map(([name, amount]) => [name, String(amount)])),
});
