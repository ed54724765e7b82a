import { type FieldError, invalid } from '@perigee/schema/errors';

interface TaskNode {
  readonly name: string;
  readonly dependsOn: readonly string[];
  /** The path of the task. */
  readonly at: string;
}

/** The tasks that remain when those without open dependencies are taken away again and again. */
const tasksInCycles = (tasks: readonly TaskNode[]): ReadonlySet<string> => {
  const open = new Map(tasks.map(({ name, dependsOn }) => [name, new Set(dependsOn).size]));
  const dependants = new Map<string, string[]>(tasks.map(({ name }) => [name, []]));
  for (const { name, dependsOn } of tasks) {
    for (const dependency of new Set(dependsOn)) dependants.get(dependency)?.push(name);
  }
  const ready = tasks.filter(({ dependsOn }) => dependsOn.length === 0).map(({ name }) => name);
  for (const name of ready) {
    open.delete(name);
    for (const dependant of dependants.get(name) ?? []) {
      const openCount = (open.get(dependant) ?? 0) - 1;
      open.set(dependant, openCount);
      if (openCount === 0) ready.push(dependant);
    }
  }
  return new Set(open.keys());
};

/** Follows dependencies that never end until a task comes up again. */
const cycleFrom = (start: TaskNode, tasks: readonly TaskNode[], stuck: ReadonlySet<string>) => {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const path = new Set<string>();
  let at: TaskNode | undefined = start;
  while (at !== undefined && !path.has(at.name)) {
    path.add(at.name);
    const next: string | undefined = at.dependsOn.find((name) => stuck.has(name));
    at = next === undefined ? undefined : byName.get(next);
  }
  const names = [...path];
  return at === undefined ? names : [...names.slice(names.indexOf(at.name)), at.name];
};

/** Problems of the dependencies between tasks: unknown names, or a cycle that never starts. */
export const checkDependencies = (tasks: readonly TaskNode[]): readonly FieldError[] => {
  const names = new Set(tasks.map(({ name }) => name));
  const unknown = tasks.flatMap(({ dependsOn, at }) =>
    dependsOn.flatMap((name, index) =>
      names.has(name)
        ? []
        : [
            invalid(
              `${at}.dependsOn.name[${index}]`,
              name,
              'is not the name of a task of this job',
            ),
          ],
    ),
  );
  if (unknown.length > 0) return unknown;
  const stuck = tasksInCycles(tasks);
  const first = tasks.find(({ name }) => stuck.has(name));
  if (first === undefined) return [];
  const cycle = cycleFrom(first, tasks, stuck).join(' → ');
  return [
    invalid(
      `${first.at}.dependsOn.name`,
      [...first.dependsOn],
      `no task of this circle could start: ${cycle}`,
    ),
  ];
};
