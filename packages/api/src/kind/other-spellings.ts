import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { type PathStep, parseFieldPath } from './field-path.ts';

interface Spellings {
  readonly otherSpellings?: { readonly [path: string]: readonly string[] };
  readonly movedFields?: { readonly [path: string]: string };
}

const addProperty = (
  schema: StructuralSchema,
  steps: readonly PathStep[],
  name: string,
  property: StructuralSchema,
): StructuralSchema => {
  const [step, ...rest] = steps;
  if (step === undefined) {
    return { ...schema, properties: { ...schema.properties, [name]: property } };
  }
  if (step === 'each') {
    return { ...schema, items: addProperty(schema.items ?? {}, rest, name, property) };
  }
  const child = schema.properties?.[step.field];
  if (child === undefined) throw new TypeError(`no field ${step.field} to put ${name} under`);
  return {
    ...schema,
    properties: { ...schema.properties, [step.field]: addProperty(child, rest, name, property) },
  };
};

const lastField = (steps: readonly PathStep[]): string => {
  const last = steps.at(-1);
  if (last === undefined || last === 'each') throw new TypeError('a path must end in a field');
  return last.field;
};

/** The schema that lets the other spellings through, so that admission can rename them. */
export const withOtherSpellings = (
  schema: StructuralSchema,
  spellings: Spellings,
): StructuralSchema => {
  let result = schema;
  for (const [path, names] of Object.entries(spellings.otherSpellings ?? {})) {
    const steps = parseFieldPath(path);
    for (const name of names) {
      result = addProperty(result, steps.slice(0, -1), name, {
        description: `Accepted on input as another spelling of ${lastField(steps)}, and stored as that.`,
        'x-kubernetes-preserve-unknown-fields': true,
      });
    }
  }
  for (const [path, where] of Object.entries(spellings.movedFields ?? {})) {
    const steps = parseFieldPath(path);
    result = addProperty(result, steps.slice(0, -1), lastField(steps), {
      description: `Accepted on input only. ${where}`,
      'x-kubernetes-preserve-unknown-fields': true,
    });
  }
  return result;
};
