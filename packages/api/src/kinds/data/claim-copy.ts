import {
  int32,
  int64,
  object,
  oneOf,
  quantity,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';

/** Schema of the limits of the copies that are made for a claim. */
export const copyLimit = () =>
  object(
    'How much may be copied for the claim with onMissing: Copy, in all of its copies together.',
    {
      bytes: quantity('How much data, such as 50Gi.'),
      cost: optional(
        quantity(
          'How much money, in the unit of the prices of the inventory (spec.dataTransfer.egress of clusters). When left out, nothing: only ways are taken that have no price.',
        ),
      ),
    },
  );

/** The copy that is made for a claim. */
export const claimCopy = () =>
  object('The copy that is being made because of onMissing, or that was made last.', {
    operation: string('The DataLoad that makes it.', { minLength: 1, maxLength: 253 }),
    phase: oneOf(
      'Planned: decided, and about to be started. Copying: the DataLoad is there. Complete, or Failed: it is over.',
      ['Planned', 'Copying', 'Complete', 'Failed'],
    ),
    cluster: string('The cluster that gets the data.', { minLength: 1, maxLength: 253 }),
    from: optional(
      string('The cluster that it comes from; its origin when left out.', { maxLength: 253 }),
    ),
    bytes: int64(
      'How many bytes it counts for: the size of the data, and in the end what was copied.',
      {
        minimum: 0,
      },
    ),
    cost: optional(string('What it counts for in money, when there is a price.')),
    work: string('The work that it is made for.'),
    startTime: time('When it was decided.'),
    completionTime: optional(time('When it was over.')),
    generation: int64('The generation of the claim by which it was decided.', { minimum: 0 }),
  });

/** Schema of the sum of the copies that were made for a claim. */
export const copiedInAll = () =>
  object(
    'All copies for the claim together, which count against copyLimit. One that is under way counts in full.',
    {
      copies: int32('How many there were.', { minimum: 0 }),
      bytes: int64('How many bytes.', { minimum: 0 }),
      cost: string('How much money.'),
    },
  );

export type ClaimCopy = StoredOf<ReturnType<typeof claimCopy>>;
export type CopiedInAll = StoredOf<ReturnType<typeof copiedInAll>>;
