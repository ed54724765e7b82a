import { int64, list, object, quantity, string } from '@perigee/schema/structural/builder';
import { check, type StoredOf } from '@perigee/schema/structural/schema';
import { MAX_GRADES, MAX_RANGES } from '../placement/limits.ts';

const modelRange = () =>
  object('The amounts of one resource that belong to the grade.', {
    name: string('The resource: cpu, memory, storage or ephemeral-storage.', {
      minLength: 1,
      maxLength: 317,
    }),
    min: quantity('The least that belongs to the grade; that of the first grade counts as 0.'),
    max: quantity(
      'What no longer belongs to it: the min of the next grade. That of the last grade counts as without end.',
    ),
  });

/** Grades of node sizes: a cluster counts its nodes by grade, which is more precise than their sum. */
export const resourceModels = (description: string) =>
  check(
    list(
      description,
      object('A grade of nodes, by how much they have left.', {
        grade: int64('The number of the grade, from the smallest nodes to the largest.', {
          minimum: 0,
        }),
        ranges: list('The amounts of each resource that belong to the grade.', modelRange(), {
          maxItems: MAX_RANGES,
        }),
      }),
      { maxItems: MAX_GRADES },
    ),
    {
      rule: 'self.all(a, self.exists_one(b, b.grade == a.grade))',
      message: 'each grade may be there once',
    },
    {
      rule: 'self.all(m, m.ranges.map(r, r.name) == self[0].ranges.map(r, r.name))',
      message: 'every grade needs the same resources in the same order',
    },
  );

export type ResourceModel = StoredOf<ReturnType<typeof resourceModels>>[number];
