import { type FieldError, invalid } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { splitImage } from './image-reference.ts';

type Value = JsonValue | undefined;

const asObject = (value: Value): JsonObject => (isJsonObject(value) ? value : {});

/** Leaves out what is undefined, so that an absent field stays absent. */
const compact = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

interface Move {
  readonly from: string;
  readonly to: string;
  readonly value: Value;
  readonly present: Value;
  readonly storedValue: Value;
}

/**
 * Moves a value to its canonical place. What is there may be replaced when it only came from the
 * stored object; when the user wrote both, they clash.
 */
const move = ({ from, to, value, present, storedValue }: Move, errors: FieldError[]): Value => {
  if (value === undefined) return present;
  const mayReplace =
    present === undefined || sameJson(present, value) || sameJson(present, storedValue);
  if (mayReplace) return value;
  errors.push(invalid(from, value, `belongs in ${to}, which is set to something else; keep one`));
  return present;
};

/** A pod that ran to its end in a Job must not be started again for ever, as pods are by default. */
const runToEnd = (podSpec: Value): Value =>
  isJsonObject(podSpec) ? { ...podSpec, restartPolicy: podSpec.restartPolicy ?? 'Never' } : podSpec;

const fromTemplate = (
  job: Value,
  storedValue: Value,
  field: string,
  errors: FieldError[],
): Value => {
  if (!isJsonObject(job)) return job;
  const { template, podSpec: present, ...rest } = job;
  const podSpec = move(
    {
      from: `${field}.template.spec`,
      to: 'spec.processor.job.podSpec',
      value: asObject(template).spec,
      present,
      storedValue: asObject(storedValue).podSpec,
    },
    errors,
  );
  return compact({ ...rest, podSpec: runToEnd(podSpec) });
};

/** The design runs a shell script in a shell; a bare `script` is given to the image's entry point. */
const fromShell = (shell: Value, errors: FieldError[]): Value => {
  if (!isJsonObject(shell))
    return shell === undefined ? undefined : { command: ['sh'], source: shell };
  const { scrip, script, source: present, ...rest } = shell;
  const source = [scrip, script].reduce(
    (result: Value, value) =>
      move(
        {
          from: 'spec.processor.shell',
          to: 'spec.processor.script.source',
          value,
          present: result,
          storedValue: undefined,
        },
        errors,
      ),
    present,
  );
  return compact({ command: ['sh'], ...rest, source });
};

const withImage = (
  script: Value,
  image: Value,
  storedValue: Value,
  errors: FieldError[],
): Value => {
  if (image === undefined) return script;
  const from = 'spec.processor.image';
  if (typeof image !== 'string' || !isJsonObject(script)) {
    errors.push(invalid(from, image, 'is a name that goes with spec.processor.script'));
    return script;
  }
  const imageOf = (of: JsonObject) =>
    of.image === undefined ? undefined : compact({ image: of.image, imageTag: of.imageTag });
  const movedImage = move(
    {
      from,
      to: 'spec.processor.script.image',
      value: { ...splitImage(image) },
      present: imageOf(script),
      storedValue: imageOf(asObject(storedValue)),
    },
    errors,
  );
  const { image: _image, imageTag: _tag, ...rest } = script;
  return { ...rest, ...asObject(movedImage) };
};

/**
 * Brings the processor of a DataProcess from the spelling of the Fluid design to the one that Fluid
 * ships: `shell.scrip`, `image`, and a Job's `template.spec` beside or inside `processor`.
 */
export const canonicalProcessor = (
  spec: JsonObject,
  old: JsonObject,
  errors: FieldError[],
): JsonObject => {
  const { job: misplaced, processor: processorSpec, ...rest } = spec;
  if (!isJsonObject(processorSpec ?? misplaced)) return spec;
  const { shell, image, job: present, script: bare, ...processor } = asObject(processorSpec);
  const storedValue = asObject(old.processor);
  const field = misplaced === undefined ? 'spec.processor.job' : 'spec.job';
  const job = move(
    {
      from: field,
      to: 'spec.processor.job',
      value: misplaced,
      present,
      storedValue: storedValue.job,
    },
    errors,
  );
  const podMetadata = move(
    {
      from: `${field}.template.metadata`,
      to: 'spec.processor.podMetadata',
      value: asObject(asObject(job).template).metadata,
      present: processor.podMetadata,
      storedValue: storedValue.podMetadata,
    },
    errors,
  );
  const script = move(
    {
      from: 'spec.processor.shell',
      to: 'spec.processor.script',
      value: fromShell(shell, errors),
      present: bare,
      storedValue: storedValue.script,
    },
    errors,
  );
  return {
    ...rest,
    processor: compact({
      ...processor,
      podMetadata,
      job: fromTemplate(job, storedValue.job, field, errors),
      script: withImage(script, image, storedValue.script, errors),
    }),
  };
};
