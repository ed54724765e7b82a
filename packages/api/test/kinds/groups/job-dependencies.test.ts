import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidObjectError } from '@perigee/schema/errors';
import fc from 'fast-check';
import { normalise } from '../../../src/kind/normalise.ts';
import { Job } from '../../../src/kinds/groups/job.ts';

type Dependencies = { readonly [task: string]: readonly string[] };

const problemsOf = (dependencies: Dependencies) => {
  const tasks = Object.entries(dependencies).map(([name, dependsOn]) => ({
    name,
    ...(dependsOn.length > 0 ? { dependsOn: { name: dependsOn } } : {}),
  }));
  try {
    normalise(Job, { metadata: { name: 'j' }, spec: { tasks } });
    return [];
  } catch (error) {
    if (error instanceof InvalidObjectError) return error.errors;
    throw error;
  }
};

const fieldsOf = (dependencies: Dependencies) => problemsOf(dependencies).map(({ field }) => field);

/** Tasks in an order in which they could start: each depends on some of those before it. */
const orders = fc
  .array(fc.array(fc.nat(30), { maxLength: 4 }), { minLength: 2, maxLength: 30 })
  .map((choices) =>
    choices.map((choice, index) => ({
      name: `t${index}`,
      dependsOn: index === 0 ? [] : [...new Set(choice.map((n) => `t${n % index}`))],
    })),
  );

const shuffled = (
  tasks: readonly { name: string; dependsOn: readonly string[] }[],
  by: readonly number[],
) =>
  Object.fromEntries(
    tasks
      .map((task, index) => ({ task, key: by[index % by.length] ?? 0 }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ task }) => [task.name, task.dependsOn]),
  );

describe('the dependencies between the tasks of a Job', () => {
  it('may form a chain, a fan and a diamond', () => {
    assert.deepEqual(problemsOf({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'], e: [] }), []);
    assert.deepEqual(problemsOf({ c: ['b'], b: ['a'], a: [] }), []);
  });

  it('must be on tasks that exist', () => {
    assert.deepEqual(fieldsOf({ a: [], b: ['a', 'z'], c: ['y'] }), [
      'spec.tasks[1].dependsOn.name[1]',
      'spec.tasks[2].dependsOn.name[0]',
    ]);
  });

  it('may not be on the task itself', () => {
    assert.deepEqual(fieldsOf({ a: [], b: ['a', 'b'] }), ['spec.tasks[1].dependsOn.name']);
  });

  it('are shown when they go round in a circle', () => {
    const [problem, ...others] = problemsOf({
      x: [],
      a: ['d'],
      b: ['x', 'a'],
      c: ['b'],
      d: ['c'],
      e: ['d'],
    });
    assert.deepEqual(others, []);
    assert.equal(problem?.field, 'spec.tasks[1].dependsOn.name');
    assert.match(problem.message, /a → d → c → b → a$/);
  });

  it('are accepted in any order when there is one in which the tasks can start', () => {
    fc.assert(
      fc.property(orders, fc.array(fc.nat(), { minLength: 1 }), (tasks, by) => {
        assert.deepEqual(problemsOf(shuffled(tasks, by)), []);
      }),
      { numRuns: 100 },
    );
  });

  it('are refused with a single dependency that closes a circle', () => {
    fc.assert(
      fc.property(orders, fc.array(fc.nat(), { minLength: 1 }), (tasks, by) => {
        const closed = tasks.map((task, index) => ({
          name: task.name,
          dependsOn: index === 0 ? [`t${tasks.length - 1}`] : [...task.dependsOn, `t${index - 1}`],
        }));
        assert.equal(problemsOf(shuffled(closed, by)).length, 1);
      }),
      { numRuns: 100 },
    );
  });
});
