import { type FieldError, InvalidObjectError, invalid, ParseError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { itemsAt, objectAt } from '../../kind/reshape.ts';
import { parseCron } from '../../values/cron-schedule.ts';
import { wallOf } from '../../values/cron-times.ts';
import { selectorProblem } from '../../values/selector-problem.ts';

const selectorErrors = (spec: JsonObject, field: string): readonly FieldError[] => {
  const labels = objectAt(objectAt(spec, field), 'labelSelector');
  const problem = labels === undefined ? undefined : selectorProblem(labels);
  return problem === undefined ? [] : [invalid(`spec.${field}.labelSelector`, labels, problem)];
};

/** No rule of a schema can read schedules and time zones. */
const timeErrors = ({ schedule, timeZone }: JsonObject): readonly FieldError[] => {
  const problemOf = (read: () => unknown): string | undefined => {
    try {
      read();
      return undefined;
    } catch (error) {
      if (error instanceof ParseError) return error.message;
      throw error;
    }
  };
  const error = (field: string, value: JsonValue | undefined, read: (text: string) => unknown) => {
    const problem = typeof value === 'string' ? problemOf(() => read(value)) : undefined;
    return problem === undefined ? [] : [invalid(`spec.${field}`, value, problem)];
  };
  return [
    ...error('schedule', schedule, parseCron),
    ...error('timeZone', timeZone, (zone) => wallOf(0, zone)),
  ];
};

/** Refuses label selectors that cannot be parsed or that no labels match, and times that cannot be read. */
export const checkTrigger = (trigger: JsonObject): JsonObject => {
  const spec = objectAt(trigger, 'spec') ?? {};
  const errors = itemsAt([spec, 'spec'], 'targetSelectors').flatMap(
    ([selector, at]): readonly FieldError[] => {
      const labels = objectAt(selector, 'labelSelector');
      const problem = labels === undefined ? undefined : selectorProblem(labels);
      return problem === undefined ? [] : [invalid(`${at}.labelSelector`, labels, problem)];
    },
  );
  const problems = [...errors, ...selectorErrors(spec, 'onClusters'), ...timeErrors(spec)];
  if (problems.length > 0) throw new InvalidObjectError(problems);
  return trigger;
};
