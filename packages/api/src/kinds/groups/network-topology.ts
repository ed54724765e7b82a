import { int32, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';

/** Schema of the limit on the distance in the network between the pods of a group. */
export const networkTopology = (description: string) =>
  check(
    object(description, {
      mode: withDefault(
        'hard',
        oneOf('Whether the limit must be kept, or only should be.', ['hard', 'soft']),
      ),
      highestTierAllowed: optional(
        int32('The highest tier that the pods may span, by number; tier 1 is the closest.', {
          minimum: 0,
        }),
      ),
      highestTierName: optional(
        string('The highest tier that the pods may span, by name.', { maxLength: 253 }),
      ),
    }),
    {
      rule: "!has(self.highestTierAllowed) || !has(self.highestTierName) || self.highestTierName == ''",
      message: 'is given beside highestTierAllowed; keep one of them',
      reason: 'FieldValueForbidden',
      fieldPath: '.highestTierName',
    },
  );

export type NetworkTopology = StoredOf<ReturnType<typeof networkTopology>>;
