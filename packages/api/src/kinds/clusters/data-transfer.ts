import { list, object, quantity, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { distinct } from './inventory-fragments.ts';

const egress = () =>
  object('The way from this cluster to another one.', {
    to: string('The name of the other cluster, or * for all that have no entry of their own.', {
      minLength: 1,
      maxLength: 253,
    }),
    pricePerGiB: optional(
      quantity('What it costs to send 1 GiB there, in the unit that the whole fleet uses: 0.09.'),
    ),
    bytesPerSecond: optional(
      quantity('How fast all copies there may be together, such as 100Mi; no limit when left out.'),
    ),
  });

/** Schema of the transfer of data from a cluster to others: addresses, rates and prices. */
export const dataTransfer = () =>
  object('How other clusters get data from this one, and what that costs.', {
    address: optional(
      check(
        string(
          'Where other clusters reach node ports of this one: an address and a range of ports for copies, such as 198.51.100.7:31000-31019. Virtual members need none.',
          { maxLength: 300 },
        ),
        {
          rule: "self.matches('^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|[[][0-9A-Fa-f:.]+[]]):[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?$')",
          message: 'must be a host and a range of ports, such as 198.51.100.7:31000-31019',
        },
      ),
    ),
    egress: optional(
      check(
        list('The ways out, by the clusters that they lead to.', egress(), { maxItems: 256 }),
        distinct('to'),
      ),
    ),
  });

export type DataTransfer = StoredOf<ReturnType<typeof dataTransfer>>;
